"""Mentions of a moved path that cannot be updated are listed, and nothing else."""

from __future__ import annotations

import pytest

from gitscalpel.changesets.file_tree import SYMLINK
from gitscalpel.changesets.requests import parse_operations
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.refactor.rename import lower_name_operation
from tests.edit.editing import Content, Files
from tests.names.test_move_file import move_files

MODULE = """
    # pkg/__init__.py
    # pkg/a.py
    def f(): pass
    # pkg/sub/__init__.py
    """
LISTED = {
    "a container starts the module": ("Dockerfile", 'FROM x\nCMD ["python", "-m", "pkg.a"]', [2]),
    "a process server starts it": ("Procfile", "web: gunicorn pkg.a:app --reload", [1]),
    "a pipeline": (".github/workflows/ci.yml", "on: push\nrun: python pkg/a.py\nx: pkg.a.f", [2, 3]),
    "a function of a cloud": ("serverless.yml", "handler: pkg.a.f", [1]),
    "documentation": ("docs/api.rst", ".. automodule:: pkg.a\n   :members:", [1]),
    "documentation in Markdown": ("docs/api.md", "::: pkg.a\n\n[code](../pkg/a.py)", [1, 3]),
    "test environments": ("tox.ini", "[testenv]\ncommands = python -m pkg.a", [2]),
    "settings": ("setup.cfg", "[options.entry_points]\nconsole_scripts =\n    a = pkg.a:f", [3]),
    "settings of a module": ("mypy.ini", "[mypy]\n[mypy-pkg.a]\nignore_errors = true\n[mypy-my.pkg.a]", [2]),
    "owners": (".github/CODEOWNERS", "* @all\n/pkg/a.py @ada", [2]),
    "attributes": (".gitattributes", "pkg/a.py text", [1]),
    "hooks": (".pre-commit-config.yaml", "exclude: pkg/a.py", [1]),
    "a build file": ("Makefile", "run:\n\tpython -m pkg.a", [2]),
    "a path with a variable before it": ("run.sh", 'python "$ROOT/pkg/a.py"', [1]),
    "from its own folder": ("pkg/build.toml", 'files = ["a.py"]', [1]),
}


@pytest.mark.parametrize(("path", "content", "lines"), LISTED.values(), ids=LISTED)
def test_text_that_mentions_the_module_is_listed(path: str, content: str, lines: list[int]) -> None:
    for to in ("pkg/b.py", "pkg/sub/a.py"):
        write = {"op": "write", "path": path, "content": content + "\n"}
        outcome = move_files(MODULE, ("pkg/a.py", to), also=(write,))
        where = f"{path}:{', '.join(map(str, lines))}"
        assert outcome.unchecked == [f"{where}: pkg/a.py is left: it is in a text"]


HARMLESS = {
    "another file of that name": ("other/README.md", "a.py, see ./a.py and other/a.py"),
    "a longer name": ("x.md", "pkg.ab pkg/a.pyc pkg/a.py-old pkg.a_b my.pkg.a"),
    "an address": ("x.md", "https://example.org/pkg/a.py"),
    "an address of a route": ("x.yml", "path: /pkg/a"),
    "a word": ("x.yml", "a: a\npkg: a"),
}


@pytest.mark.parametrize(("path", "content"), HARMLESS.values(), ids=HARMLESS)
def test_text_that_mentions_another_file_is_not_listed(path: str, content: str) -> None:
    files = (
        {"op": "write", "path": path, "content": content + "\n"},
        {"op": "write", "path": "other/a.py", "content": "x = 1\n"},
    )
    assert move_files(MODULE, ("pkg/a.py", "pkg/b.py"), also=files).unchecked == []


def test_directory_is_found_in_paths_and_module_names() -> None:
    before = """
        # Dockerfile.prod
        CMD python -m tool.run
        COPY src/tool/ /app
        RUN tool.example.org tool.conf
        # src/tool/__init__.py
        # src/tool/run.py
        # x.js
        import.meta.glob("./src/tool/*.py")
        """
    pairs = [(f"src/tool/{name}.py", f"src/kit/{name}.py") for name in ("__init__", "run")]
    assert move_files(before, *pairs).unchecked == [
        "Dockerfile.prod:1, 2: src/tool is left: it is in a text",
        "x.js:1: src/tool is left: it is in a text",
    ]


FOLDER = {
    "packages of a project": ("pyproject.toml", '[tool.setuptools]\npackages = [\n  "tool",\n]', [3]),
    "packages by the way": ("pyproject.toml", '[tool.poetry]\npackages = [{include = "tool"}]', [2]),
    "data of a package": ("pyproject.toml", '[tool.setuptools.package-data]\ntool = ["*.txt"]', [2]),
    "what is measured": ("pyproject.toml", '[tool.coverage.run]\nsource = ["tool"]', [2]),
    "settings": ("setup.cfg", "[options]\npackages =\n    tool\n[tool:pytest]\ntestpaths = tool", [3, 5]),
    "a setup": ("setup.py", 'setup(name="tool", packages=["tool"])', [1]),
    "YAML": ("x.yml", "paths:\n  - tool\n  - 'tool'\nname: tool", [2, 3]),
    "JSON": ("nx.json", '{"name": "tool",\n"sourceRoot": "tool", "keywords": ["tool"]}', [2]),
    "a configuration in JavaScript": ("jest.config.js", 'module.exports = { roots: ["tool"] };', [1]),
    "nothing": ("pyproject.toml", '[project]\nname = "tool"\nkeywords = ["tool"]\nx = "tool-kit"', []),
    "another folder": ("sub/x.toml", 'paths = ["tools", "a tool"]', []),
    "prose": ("notes.md", "the tool = tool", []),
    "data": ("data.csv", "path,tool", []),
}


@pytest.mark.parametrize(("path", "content", "lines"), FOLDER.values(), ids=FOLDER)
def test_single_word_mention_of_a_directory_in_configuration_is_listed(
    path: str, content: str, lines: list[int]
) -> None:
    before = """
        # tool/__init__.py
        # tool/run.py
        def f(): pass
        """
    pairs = [(f"tool/{name}.py", f"kit/{name}.py") for name in ("__init__", "run")]
    write = {"op": "write", "path": path, "content": content + "\n"}
    where = f"{path}:{', '.join(map(str, lines))}"
    expected = [f"{where}: tool is left: it is in a text"] if lines else []
    assert move_files(before, *pairs, also=(write,)).unchecked == expected


def test_single_word_mention_of_a_module_in_configuration_is_listed() -> None:
    also = {"op": "write", "path": "pyproject.toml", "content": '[tool.setuptools]\npy-modules = ["app"]\n'}
    assert move_files("# app.py\nx = 1\n", ("app.py", "main.py"), also=(also,)).unchecked == [
        "pyproject.toml:2: app.py is left: it is in a text"
    ]


def test_joined_path_is_found_by_its_unique_file_name() -> None:
    before = """
        # b.py
        path = join(HERE, "data", "rows.csv")
        # pkg/data/rows.csv
        # q/c.py
        path = join(HERE, "rows.csv")
        """
    (note,) = move_files(before, ("pkg/data/rows.csv", "pkg/data/all.csv")).unchecked[:1]
    assert note == "b.py:1: pkg/data/rows.csv is left: it is in a text"
    also = {"op": "write", "path": "q/rows.csv", "content": ""}
    again = move_files(before, ("pkg/data/rows.csv", "pkg/data/all.csv"), also=(also,)).unchecked
    assert again == []


def test_top_level_module_is_found_in_commands() -> None:
    before = """
        # Procfile.txt
        web: gunicorn app:create --name app
        x: python -m app && app
        # app.py
        create = 1
        """
    assert move_files(before, ("app.py", "main.py")).unchecked == [
        "Procfile.txt:1, 2: app.py is left: it is in a text"
    ]


def test_relative_path_in_the_moved_file_is_listed() -> None:
    before = """
        # a/x.sh
        . ./lib.sh
        cat ../b/y.txt ./none.txt
        # a/lib.sh
        # b/y.txt
        """
    assert move_files(before, ("a/x.sh", "c/x.sh")).unchecked == [
        "c/x.sh:1: ./lib.sh is left: it is relative to the old place",
    ]
    assert move_files(before, ("a/x.sh", "c/x.sh"), ("a/lib.sh", "c/lib.sh")).unchecked == []
    assert move_files(before, ("a/x.sh", "a/z.sh")).unchecked == []


def test_symlinks_are_listed() -> None:
    files: dict[str, Content] = {
        "a/x.txt": "x\n",
        "c/to": (SYMLINK, b"../b/y.txt"),
        "b/y.txt": "y\n",
        "l": (SYMLINK, b"a/x.txt"),
        "outside": (SYMLINK, b"/tmp/x.txt"),
        "dead": (SYMLINK, b"a/none"),
    }

    def list_unchecked(*pairs: tuple[str, str]) -> list[str]:
        ops = [{"op": "move_file", "path": path, "to": to} for path, to in pairs]
        return apply(parse_operations(ops), Files(files), lower=lower_name_operation).unchecked

    words = "is left, and leads nowhere or elsewhere now"
    assert list_unchecked(("a/x.txt", "a/z.txt")) == [f"l: the link to a/x.txt {words}"]
    assert list_unchecked(("b/y.txt", "b/z.txt")) == [f"c/to: the link to ../b/y.txt {words}"]
