"""Programs that run before a definition or a file moves run after the move."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import ScalpelError
from tests.edit.editing import dedent_block
from tests.names.marked_files import split_files
from tests.names.test_rename import apply_operations

_A = """
    # pkg/a.py
    def helper(): return 1
    def other(): return 2
"""
MOVED = {
    "it is imported in functions and branches": """
        # main.py
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from pkg.a import helper as H
        def f():
            from pkg.a import helper
            return helper()
        def g():
            if f(): from pkg.a import other, helper as h; return h() + other()
        try:
            from pkg.a import (
                helper,
                other,
            )
        except ImportError:
            helper = None
        def h():
            import pkg.a
            return pkg.a.helper()
        f(), g(), h(), helper(), other()
    """,
    "it is imported in a function, and comes with a star": """
        # main.py
        from pkg.a import *
        def f():
            from pkg.a import helper
            return helper()
        helper(), f()
    """,
    "where it goes had it in functions": """
        # pkg/b.py
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from pkg.a import helper
        def f():
            from pkg.a import other, helper
            return helper() + other()
        def g():
            try:
                from pkg.a import helper
            finally:
                return helper()
        # main.py
        from pkg import b
        b.f(), b.g()
    """,
    "where it goes is the program itself": """
        # pkg/b.py
        from pkg.a import helper
        def main(): return helper()

        # Only here.
        if __name__ == "__main__":
            main()
        # main.py
        import runpy
        runpy.run_path("pkg/b.py", run_name="__main__")
        assert "# Only here.\\nif __name__" in open("pkg/b.py").read()
    """,
    "a package passes on all that it has": """
        # pkg/__init__.py
        from .a import *
        # main.py
        from pkg import helper
        import pkg
        def f():
            from pkg import helper as h, other
            return h()
        helper(), pkg.helper(), f()
    """,
    "a package passes it on by its name": """
        # pkg/__init__.py
        from .a import helper
        # main.py
        from pkg import helper
        import pkg
        helper(), pkg.helper()
    """,
    "it comes from a folder that is a package without saying so": """
        # pkg/inner/a.py
        from .. import c as other
        from .d import E
        def helper(): return other.x, E, own()
        def own(): return helper
        # pkg/inner/d.py
        E = 1
        # pkg/c.py
        x = 1
        # main.py
        from pkg.inner.a import helper, own
        assert helper() == (1, 1, helper) and own() is helper
    """,
    "a folder is a package as others import it": """
        # pkg/inner/a.py
        x = 1
        def helper(): return x
        def own(): return helper
        # main.py
        from pkg.inner import a
        from pkg.inner.a import helper
        assert helper() == 1 and a.own() is helper
    """,
    "a package is in a folder that is one as others import it": """
        # pkg/inner/__init__.py
        # pkg/inner/a.py
        def helper(): return 1
        def own(): return helper
        # main.py
        from pkg.inner import a
        assert a.own()() == 1
    """,
    "a folder is a package as others import it by its place": """
        # pkg/__init__.py
        from .inner.a import own
        # pkg/inner/a.py
        def helper(): return 1
        def own(): return helper
        # main.py
        import pkg
        assert pkg.own()() == 1
    """,
    "a folder is in a package from which its files import, and nobody imports from it": """
        # pkg/__init__.py
        x = 1
        # pkg/inner/a.py
        from pkg import x
        def helper(): return x
        def own(): return helper
        # main.py
        import runpy
        assert runpy.run_module("pkg.inner.a")["own"]()() == 1
    """,
}
FILES = {
    "the file has the new name already": """
        # main.py
        from pkg import util
        tool = 1
        util.helper(), tool + 1
    """,
    "a parameter has it": """
        # main.py
        from pkg import util
        def f(tool): return util.helper() + tool
        f(1)
    """,
    "a parameter is called as the package": """
        # main.py
        import top
        def f(pkg): return top.helper() + pkg
        f(1)
    """,
    "the language has it": """
        # main.py
        from pkg import util, sub
        def f(): return list("a"), util.helper()
        f()
    """,
    "a package passes it on": """
        # pkg/__init__.py
        from pkg import util
        # main.py
        from pkg import util as tool, sub
        from pkg import util
        import pkg
        tool.helper(), util.helper(), pkg.util.helper()
    """,
    "a package lists it": """
        # pkg/__init__.py
        from . import util
        __all__ = ["util"]
        # main.py
        from pkg import *
        util.helper()
    """,
    "a package lists it, and has the new name": """
        # pkg/__init__.py
        from . import util
        tool = 1
        __all__ = ["util"]
        # main.py
        from pkg import *
        util.helper()
    """,
}

INTO_PACKAGES = {
    "it names a module of the package by its whole name": """
        # pkg/a.py
        import pkg.s.c
        def helper(): return pkg.s.c.g()
        # pkg/__init__.py
        # main.py
        import pkg.a
        pkg.a.helper()
    """,
    "the package has imported the module that it names": """
        # pkg/a.py
        import pkg.s
        def helper(): return pkg.s.c.g()
        # pkg/__init__.py
        from . import s
        # main.py
        import pkg.a
        pkg.a.helper()
    """,
}


@pytest.mark.parametrize("name", INTO_PACKAGES)
def test_program_runs_after_a_move_into_a_package(name: str, tmp_path: Path) -> None:
    tree = (
        dedent_block(INTO_PACKAGES[name])
        + "# pkg/s/__init__.py\nfrom . import c\n# pkg/s/c.py\ndef g(): return 1\n"
    )
    move = {"op": "move", "path": "pkg/a.py", "symbol": "helper", "to_path": "pkg/__init__.py"}
    write_files(None, tree, tmp_path / "before")
    write_files(apply_operations(tree, move), tree, tmp_path / "after")
    assert_runs(tmp_path / "before")
    assert_runs(tmp_path / "after")


def write_files(outcome: Outcome | None, before: str, root: Path) -> None:
    """Write the files of a text, with the changes of an outcome if there is one."""
    content = {path: part.encode() for path, part in split_files(before).items()}
    for path, *_ in outcome.changes if outcome is not None else ():
        content[path] = outcome.overlay.content(path) or b"" if outcome is not None else b""
    for path, part in content.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(part)


def assert_runs(root: Path) -> None:
    """Assert that ``main.py`` exits without an error."""
    result = subprocess.run(
        [sys.executable, "main.py"], cwd=root, capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("name", MOVED)
def test_program_runs_after_a_move(name: str, tmp_path: Path) -> None:
    tree = dedent_block(MOVED[name])
    folder = "pkg/inner" if "pkg/inner" in tree else "pkg"
    tree += "" if folder == "pkg/inner" else dedent_block(_A)
    tree += "" if "__init__" in tree else "# pkg/__init__.py\n"
    move = {"op": "move", "path": f"{folder}/a.py", "symbol": "helper", "to_path": f"{folder}/b.py"}
    write_files(None, tree, tmp_path / "before")
    write_files(apply_operations(tree, move), tree, tmp_path / "after")
    assert_runs(tmp_path / "before")
    assert_runs(tmp_path / "after")


def test_imports_from_a_reexporting_package_are_kept() -> None:
    tree = dedent_block(MOVED["a package passes it on by its name"]) + dedent_block(_A)
    move = {"op": "move", "path": "pkg/a.py", "symbol": "helper", "to_path": "pkg/b.py"}
    assert sorted(path for path, *_ in apply_operations(tree, move).changes) == [
        "pkg/__init__.py",
        "pkg/a.py",
        "pkg/b.py",
    ]


@pytest.mark.parametrize("before", ["", "def f():\n    "])
def test_name_aliased_in_the_target_is_refused(before: str) -> None:
    tree = f"# a.py\ndef helper(): pass\n# b.py\n{before}from a import helper as h\n"
    with pytest.raises(ScalpelError) as caught:
        apply_operations(tree, {"op": "move", "path": "a.py", "symbol": "helper", "to_path": "b.py"})
    assert caught.value.code == "kind_mismatch"


@pytest.mark.parametrize("name", FILES)
def test_program_runs_after_a_file_move(name: str, tmp_path: Path) -> None:
    tree, word = dedent_block(FILES[name]), "list" if "list(" in FILES[name] else "tool"
    old = "top.py" if "import top" in tree else "pkg/util.py"
    tree += f"# {old}\ndef helper(): return 1\n# pkg/sub/__init__.py\n"
    tree += "" if "# pkg/__init__" in tree else "# pkg/__init__.py\n"
    write_files(None, tree, tmp_path / "before")
    outcome = apply_operations(tree, {"op": "move_file", "path": old, "to": f"pkg/sub/{word}.py"})
    write_files(outcome, tree, tmp_path / "after")
    (tmp_path / "after" / old).unlink()
    assert_runs(tmp_path / "before")
    assert_runs(tmp_path / "after")


def test_import_of_the_only_file_of_a_directory_follows() -> None:
    tree = "# a.py\nimport old.mod\nold.mod.x\n# old/mod.py\nx = 1\n# pkg/__init__.py\n"
    outcome = apply_operations(tree, {"op": "move_file", "path": "old/mod.py", "to": "pkg/mod.py"})
    assert outcome.overlay.content("a.py") == b"import pkg.mod\npkg.mod.x\n"
