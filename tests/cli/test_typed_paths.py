"""Paths as users type them: in a subdirectory, from the root, with a trailing slash."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitscalpel.changesets.file_tree import SYMLINK
from tests.command import scalpel
from tests.sandbox import Sandbox

APP = "class Server:\n    def start(self):\n        return 1\n\n\ndef main():\n    return Server\n"


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox.init(tmp_path / "repo")
    sandbox.commit({"src/app.py": APP.encode(), "t.txt": b"one\none\n"})
    return sandbox


def test_hints_name_paths_relative_to_the_current_directory(repo: Sandbox) -> None:
    repo.commit({"src/in/x.txt": b"x\n", "lib/y.txt": b"y\n"})
    assert "such as in/app.py\n" in scalpel(repo.root / "src", "cp", "app.py", "in").err
    assert "../lib/ puts it in there, as ../lib/in\n" in scalpel(repo.root / "src", "cp", "in", "../lib").err
    (repo.root / "src/app.py").write_text(APP + "staged = 1\n")
    repo.git("add", ".")
    (repo.root / "src/app.py").write_text(APP + "more = 1\n")
    assert "`git add app.py`" in scalpel(repo.root / "src", "begin", "--adopt", "app.py").err
    stale = scalpel(repo.root / "src", "lines", "app.py:8", "--code", "x = 1").err
    assert "if it is this one (git scalpel show app.py prints them)" in stale
    assert "hash, app.py:8:HASH" in stale
    assert "`git add src/app.py`" in scalpel(repo.root, "begin", "--adopt", "src/app.py").err


def test_root_path_typed_in_a_subdirectory_gets_the_relative_one(
    repo: Sandbox,
) -> None:
    for folder in ("other", "more"):
        assert scalpel(repo.root, "cp", "src/app.py", f"{folder}/").status == 0
    assert "hint: did you mean app.py?" in scalpel(repo.root / "src", "outline", "src/app.py").err


SLASHES = [
    ["show", "t.txt/"],
    ["show", "t.txt/", "--checkout"],
    ["outline", "t.txt/"],
    ["find", "function", "t.txt/"],
    ["find", 'text("one")', "t.txt/"],
    ["refs", "t.txt/::a"],
    ["replace", "t.txt/:1", "--code", "x"],
    ["delete", "t.txt/:1"],
    ["lines", "t.txt/:1", "--code", "x"],
    ["text", "t.txt/", "--old", "one\none", "--new", "x"],
    ["text", "t.txt/", "src/app.py", "--old", "r", "--new", "x"],
    ["imports", "t.txt/", "--add", "os"],
    ["rename", "t.txt/::a", "b"],
    ["move", "t.txt/::a", "src/app.py"],
    ["mv", "t.txt/", "u.txt"],
    ["cp", "t.txt/.", "u.txt"],
    ["rm", "t.txt/"],
    ["rm", "t.txt/", "--checkout"],
    ["begin", "--adopt", "t.txt/"],
]


@pytest.mark.parametrize("call", SLASHES, ids=lambda call: "-".join(call[:3]))
def test_file_with_trailing_slash_is_refused(repo: Sandbox, call: list[str]) -> None:
    (repo.root / "t.txt").write_text("uncommitted\n")
    for typed in (call, [word.replace("t.txt", f"{repo.root}/t.txt") for word in call]):
        refused = scalpel(repo.root, *typed)
        assert refused.status == 2
        assert "t.txt/ names a directory, but t.txt is a file\nhint: name it without" in refused.err
    assert (repo.root / "t.txt").read_text() == "uncommitted\n"


def test_directory_with_trailing_slash_is_accepted(repo: Sandbox) -> None:
    assert "app.py" in scalpel(repo.root, "outline", "src/").out
    assert "app.py" in scalpel(repo.root, "find", "function", "src/").out
    assert scalpel(repo.root, "cp", "src/", "lib/").status == 0
    assert repo.git("ls-tree", "-r", "--name-only", "HEAD").split() == [
        "lib/src/app.py",
        "src/app.py",
        "t.txt",
    ]
    moved = scalpel(repo.root, "move", "src/app.py::main", "new/")
    assert "new/ names a directory, but a definition moves to a file" in moved.err
    assert scalpel(repo.root, "rm", "lib/").status == 0
    (repo.root / "src/app.py").write_text(APP.replace("1", "2"))
    assert scalpel(repo.root, "begin", "--adopt", "src/").status == 0
    saved = scalpel(repo.root, "snapshot", "--json").data["id"]
    (repo.root / "src/app.py").write_text(APP)
    refused = scalpel(repo.root, "restore", saved, "src/app.py/")
    assert (refused.status, "without the slash" in refused.err) == (2, True)
    assert scalpel(repo.root, "restore", saved, "src/").status == 0


def test_path_with_leading_dash_follows_two_dashes(repo: Sandbox) -> None:
    repo.commit({"-x.py": b"a = 1\n"})
    assert "as a path, write ./-x.py" in scalpel(repo.root, "show", "-x.py").err
    for call in (["show", "./-x.py"], ["show", "--", "-x.py"], ["rm", "--dry-run", "--", "-x.py"]):
        assert scalpel(repo.root, *call).status == 0, call
    assert scalpel(repo.root, "text", "t.txt", "--old", "one\none", "--new", "--").status == 0
    assert repo.files()["t.txt"] == b"--\n"
    assert scalpel(repo.root, "text", "t.txt", "--old", "--", "--new", "-m").status == 0
    assert repo.files()["t.txt"] == b"-m\n"


def test_root_directory_is_refused_as_a_file(repo: Sandbox) -> None:
    for call in (["show", "."], ["rm", "./"], ["mv", "t.txt", "."], ["cp", ".", "x"]):
        assert "'.' is refused: it is the repository's own folder" in scalpel(repo.root, *call).err, call
    assert "it is the repository's own folder" in scalpel(repo.root / "src", "show", "..").err
    assert "the path is empty" in scalpel(repo.root, "show", "").err


def test_file_name_that_reads_as_an_address_gets_a_hint(repo: Sandbox) -> None:
    repo.commit({"a::b.py": b"x = 1\n", "c:12": b"one\n"})
    for name in ("a::b.py", "c:12"):
        assert f"a file is called {name}, which reads as a place" in scalpel(repo.root, "show", name).err
    assert scalpel(repo.root, "rm", "a::b.py").status == 0


def test_dangling_symlink_is_reported(repo: Sandbox) -> None:
    repo.commit({"link": (SYMLINK, b"nowhere")})
    error = scalpel(repo.root, "show", "link").err
    assert "no such file: nowhere, to which the symlink on the way of link leads" in error


def test_name_with_line_break_is_quoted(repo: Sandbox) -> None:
    repo.commit({"a\nb.py": b"x = 1\n"})
    assert scalpel(repo.root, "outline", "a\nb.py").out.startswith('"a\\nb.py" (python)\n')
    assert scalpel(repo.root, "find", "[name=x]").out.startswith('"a\\nb.py":1  x')
    edited = scalpel(repo.root, "replace", "a\nb.py::x", "--code", "x = 2")
    assert '  "a\\nb.py"  +1 -1\n' in edited.out
    assert repo.git("log", "-1", "--format=%B").strip() == 'Change x in "a\\nb.py"'


def test_empty_result_is_reported_on_standard_error(repo: Sandbox) -> None:
    repo.commit({"texts/a.txt": b"x\n"})
    for call, words in (
        (["outline", "texts"], "no file there is in a language with symbols\n"),
        (["find", "[name=nobody]"], "nothing there matches\n"),
    ):
        answer = scalpel(repo.root, *call)
        assert (answer.status, answer.out, answer.err) == (0, "", words)


@pytest.mark.parametrize("verb", ["show", "outline", "rm", "write"])
def test_absolute_path_outside_is_refused_for_its_location(repo: Sandbox, verb: str) -> None:
    more = ("--content", "x") if verb == "write" else ()
    refused = scalpel(repo.root, verb, "/etc/hosts", *more, "--json").error
    assert refused["code"] == "path_denied"
    assert "outside the repository" in refused["message"]
    assert "absolute" not in refused["message"]
    assert scalpel(repo.root, "show", str(repo.root / "t.txt")).out == scalpel(repo.root, "show", "t.txt").out
