"""Editing commands: their text, JSON, exit status, and the edited file."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.command import blob, scalpel
from tests.sandbox import Sandbox

A = b"# why\n@deco\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n"


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": A, "t.txt": b"one\ntwo\nthree\n", "d/e.txt": b"e\n"})


COMMANDS: dict[str, tuple[list[str], bytes, str, bytes | None]] = {
    # arguments, standard input, the changed file, its new content
    "replace": (["replace", "a.py::g"], b"def g():\n    return 3\n", "a.py", A.replace(b"2", b"3")),
    "replace by query": (
        ["replace", "a.py", "--query", "function[name=g]", "--code", "def g():\n    return 3"],
        b"",
        "a.py",
        A.replace(b"2", b"3"),
    ),
    "replace lines": (["replace", "a.py:8"], b"    return 3\n", "a.py", A.replace(b"2", b"3")),
    "replace without the lead": (
        ["replace", "a.py::f", "--lead", "drop", "--code", "def f():\n    return 1"],
        b"",
        "a.py",
        A.removeprefix(b"# why\n@deco\n"),
    ),
    "insert after": (["insert", "a.py::g", "--after"], b"x = 1", "a.py", A + b"\n\nx = 1\n"),
    "insert before": (["insert", "a.py::f", "--before"], b"x = 1", "a.py", b"x = 1\n\n\n" + A),
    "insert first": (
        ["insert", "a.py::g", "--first", "--code", "y = 1"],
        b"",
        "a.py",
        A.replace(b"g():\n", b"g():\n    y = 1\n"),
    ),
    "insert last": (
        ["insert", "a.py::f", "--last", "--code", "f()"],
        b"",
        "a.py",
        A.replace(b"1\n", b"1\n    f()\n"),
    ),
    "delete": (["delete", "a.py::f"], b"", "a.py", b"def g():\n    return 2\n"),
    "delete safely": (["delete", "a.py::g", "--safe"], b"", "a.py", A[: A.index(b"\n\n\n")] + b"\n"),
    "delete lines": (["delete", "t.txt:1-2"], b"", "t.txt", b"three\n"),
    "signature": (["signature", "a.py::f"], b"def f(a, b)", "a.py", A.replace(b"f()", b"f(a, b)")),
    "text": (["text", "t.txt", "--old", "two", "--new", "2"], b"", "t.txt", b"one\n2\nthree\n"),
    "text everywhere": (
        ["text", "t.txt", "--old", "e", "--new", "E", "--all"],
        b"",
        "t.txt",
        b"onE\ntwo\nthrEE\n",
    ),
    "text by pattern": (
        ["text", "t.txt", "--regex", "--old", r"t(\w+)$", "--new", r"\1t", "--all", "--count", "2"],
        b"",
        "t.txt",
        b"one\nwot\nhreet\n",
    ),
    "text at places": (
        ["text", "t.txt", "--old", "e", "--new", "E", "--occurrence", "0", "--occurrence", "2"],
        b"",
        "t.txt",
        b"onE\ntwo\nthreE\n",
    ),
    "lines": (["lines", "t.txt:2-3"], b"2\n3\n4\n", "t.txt", b"one\n2\n3\n4\n"),
    "lines before": (["lines", "t.txt:1", "--before", "--code", "0"], b"", "t.txt", b"0\none\ntwo\nthree\n"),
    "lines after": (["lines", "t.txt:3", "--after", "--code", "4"], b"", "t.txt", b"one\ntwo\nthree\n4\n"),
    "lines deleted": (["lines", "t.txt:2", "--delete"], b"", "t.txt", b"one\nthree\n"),
    "lines verbatim": (
        ["lines", "t.txt:2", "--verbatim", "--code", "2| two\n"],
        b"",
        "t.txt",
        b"one\n2| two\nthree\n",
    ),
    "write": (["write", "new/f.txt"], b"\xffraw\r\n", "new/f.txt", b"\xffraw\r\n"),
    "write over": (["write", "t.txt", "--overwrite", "--content", "x"], b"", "t.txt", b"x"),
    "write an empty file": (["write", "empty"], b"", "empty", b""),
    "rm": (["rm", "d/e.txt"], b"", "d/e.txt", None),
    "cp": (["cp", "d/e.txt", "new/"], b"", "new/e.txt", b"e\n"),
    "absolute selector": (
        ["delete", "a.py", "--query", "function", "--match", "1"],
        b"",
        "a.py",
        A[: A.index(b"\n\n\n")] + b"\n",
    ),
}


@pytest.mark.parametrize(("arguments", "stdin", "path", "after"), COMMANDS.values(), ids=COMMANDS)
def test_command_lands_its_edit(
    repo: Sandbox, arguments: list[str], stdin: bytes, path: str, after: bytes | None
) -> None:
    base = repo.tip()
    data = scalpel(repo.root, *arguments, "--json", "-m", "Done", stdin=stdin).data
    assert blob(repo.root, f"HEAD:{path}") == after
    full = repo.root / path
    assert (full.read_bytes() if full.is_file() else None) == after
    assert repo.status() == ""
    assert repo.git("log", "--format=%s") == "Done\na commit"
    assert (data["state"], data["target"], data["base"]) == ("landed", "main", base)
    assert data["landed"] == data["head"] == repo.tip()
    (row,) = data["files"]
    assert row["path"] == path
    assert row["after"] == (repo.git("rev-parse", f"HEAD:{path}") if after is not None else None)
    assert data["diff"].startswith("diff --git ")
    assert {"ops", "intents", "gates", "unchecked"} <= data.keys()
    # Keys without content are absent.
    assert not {"affected", "propagated", "fixed", "remaining"} & data.keys()


def test_text_output_of_an_edit(repo: Sandbox) -> None:
    answer = scalpel(repo.root, "replace", "a.py::f", "-m", "Two", stdin="def f():\n    return 2")
    tx = scalpel(repo.root, "log", "--json").data[0]["tx"]
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.splitlines() == [
        f"landed on main: Two  [{tx}]",
        "  a.py  +1 -1",
        "  lead: kept comments, decorators",
        "undo with: git scalpel undo",
    ]


def test_refusal_prints_a_hint(repo: Sandbox) -> None:
    answer = scalpel(repo.root, "replace", "a.py::h", "--code", "def h(): pass")
    assert (answer.status, answer.out) == (3, "")
    assert answer.err.startswith("error: symbol_not_found: no such symbol in this file: h\n")
    assert "hint: " in answer.err


def test_dry_run_prints_the_diff(repo: Sandbox) -> None:
    before = repo.state()
    answer = scalpel(repo.root, "text", "t.txt", "--old", "two", "--new", "2", "--dry-run")
    assert (answer.status, answer.err, repo.state()) == (0, "", before)
    assert answer.out.endswith("@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n")
    data = scalpel(repo.root, "text", "t.txt", "--old", "two", "--new", "2", "--dry-run", "--json").data
    assert (data["tx"], data["head"], data["landed"]) == (None, None, None)
    assert data["diff"] == answer.out


def test_apply_reads_a_changeset_from_file_or_standard_input(repo: Sandbox, tmp_path: Path) -> None:
    ops = [
        {"op": "replace", "path": "a.py", "symbol": "g", "code": "def g():\n    return 3"},
        {"op": "write", "path": "n.txt", "content": "n\n"},
    ]
    file = tmp_path / "changeset.json"
    file.write_text(json.dumps({"message": "Both", "ops": ops}))
    data = scalpel(repo.root, "apply", str(file), "--json").data
    assert [row["path"] for row in data["files"]] == ["a.py", "n.txt"]
    assert [row["status"] for row in data["files"]] == ["modified", "added"]
    assert [(row["op"], row["before"], row["after"]) for row in data["ops"]] == [
        ("replace", [7, 8], [7, 8]),
        ("write", None, [1, 1]),
    ]
    assert data["intents"] == [{"kind": "body_change", "symbol": "g", "path": "a.py"}]
    again = scalpel(repo.root, "apply", "-", "--json", stdin=file.read_bytes())
    assert (again.error["code"], again.error["op"]) == ("no_change", 0)
    assert scalpel(repo.root, "apply", "nowhere.json", "--json").error["code"] == "file_not_found"


def test_repeated_request_id_lands_once(repo: Sandbox) -> None:
    changeset = json.dumps(
        {"request_id": "r", "ops": [{"op": "text", "path": "t.txt", "old": "two", "new": "2"}]}
    )
    first = scalpel(repo.root, "apply", "--json", stdin=changeset)
    second = scalpel(repo.root, "apply", "--json", stdin=changeset)
    assert second.data == first.data
    assert repo.git("rev-list", "--count", "HEAD") == "2"


def test_concurrent_requests_with_one_id_land_once(repo: Sandbox) -> None:
    edit = {"op": "text", "path": "t.txt", "old": "two", "new": "two two"}
    changeset = json.dumps({"request_id": "r", "ops": [edit]})
    with ThreadPoolExecutor(4) as pool:
        ask = lambda _: scalpel(repo.root, "apply", "--json", stdin=changeset).data["landed"]  # noqa: E731
        assert set(pool.map(ask, range(4))) == {repo.tip()}
    assert repo.git("show", "HEAD:t.txt").count("two") == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-m", "A"], "A"),
        (["-m", "A", "-m", "B\nb", "--message", "C"], "A\n\nB\nb\n\nC"),
        (["-m", "", "-m", "A", "-m", " "], "A"),
        (["-m", "A\n", "-m", "B"], "A\n\nB"),
    ],
)
def test_several_messages_become_paragraphs(repo: Sandbox, options: list[str], message: str) -> None:
    assert scalpel(repo.root, "text", "t.txt", "--old", "two", "--new", "2", *options).status == 0
    assert repo.git("log", "-1", "--format=%B") == message
    repo.git("commit", "--allow-empty", *options)
    assert repo.git("log", "-1", "--format=%B") == message


def test_paths_are_relative_to_the_current_directory(repo: Sandbox) -> None:
    for number, path in enumerate(["e.txt", "../d/e.txt", str(repo.root / "d" / "e.txt")]):
        old, new = ("e", "e1", "e2", "e3")[number : number + 2]
        assert (
            scalpel(repo.root / "d", "text", path, "--old", old, "--new", new, "--json").data["files"][0][
                "path"
            ]
            == "d/e.txt"
        )
    assert (
        scalpel(repo.root / "d", "text", "../../x", "--old", "a", "--new", "b", "--json").error["code"]
        == "path_denied"
    )


def test_non_utf8_file_name_keeps_its_bytes(repo: Sandbox) -> None:
    name = 'caf\udce9 "q".txt'
    repo.commit({name: b"one\n"})
    data = scalpel(repo.root, "text", name, "--old", "one", "--new", "two", "--json").data
    assert data["files"][0]["path"] == '"caf\\351 \\"q\\".txt"'
    assert (repo.root / name).read_bytes() == b"two\n"
    assert repo.status() == ""


@pytest.mark.parametrize("variable", ["GIT_COMMITTER_NAME", "SCALPEL_AGENT"])
def test_edit_with_non_utf8_author_lands_and_is_undone(repo: Sandbox, variable: str) -> None:
    env = {variable: "Ad\udce9"}
    edit = ("text", "t.txt", "--old", "two", "--new", "2")
    assert scalpel(repo.root, *edit, env=env).status == 0
    assert (repo.root / "t.txt").read_bytes() == b"one\n2\nthree\n"
    assert scalpel(repo.root, "log", env=env).status == 0
    assert scalpel(repo.root, "undo", env=env).status == 0
    assert (repo.root / "t.txt").read_bytes() == b"one\ntwo\nthree\n"


def test_bare_repository_needs_onto(tmp_path: Path, repo: Sandbox) -> None:
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    bare = tmp_path / "bare.git"
    data = scalpel(bare, "text", "t.txt", "--old", "two", "--new", "2", "--onto", "main", "--json").data
    assert blob(bare, "main:t.txt") == b"one\n2\nthree\n"
    assert data["landed"] == Sandbox(bare).tip("main")


def test_detached_head_needs_onto(repo: Sandbox) -> None:
    repo.git("switch", "-q", "--detach")
    edit = ("text", "t.txt", "--old", "two", "--new", "2", "--json")
    assert scalpel(repo.root, *edit).error["code"] == "invalid_args"
    assert scalpel(repo.root, *edit, "--onto", "main").data["target"] == "main"
    assert (repo.root / "t.txt").read_bytes() == b"one\ntwo\nthree\n"


def test_allow_broken_is_recorded(repo: Sandbox) -> None:
    op = {"op": "text", "path": "a.py", "old": "return 2", "new": "return ("}
    assert (
        scalpel(repo.root, "apply", "--json", stdin=json.dumps({"ops": [op]})).error["code"] == "syntax_error"
    )
    data = scalpel(repo.root, "apply", "--json", stdin=json.dumps({"ops": [op], "allow_broken": True})).data
    (gate,) = [gate for gate in data["gates"] if gate["name"] == "syntax"]
    assert gate["findings"]
    assert data["landed"] == repo.tip()


PATCH = """diff --git a/p.txt b/p.txt
--- a/p.txt
+++ b/p.txt
@@ -1,2 +1,2 @@
 one
-two
+2
diff --git a/d/x b/d/x
deleted file mode 100644
--- a/d/x
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/d b/d
new file mode 100755
--- /dev/null
+++ b/d
@@ -0,0 +1 @@
+now a file
"""


def test_apply_accepts_a_patch(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "patched", {"p.txt": b"one\ntwo\n", "d/x": b"x\n"})
    data = scalpel(repo.root, "apply", "-", "--json", stdin=PATCH).data
    assert sorted((row["op"], row["path"]) for row in data["ops"]) == [
        ("patch", "d"),
        ("patch", "d/x"),
        ("patch", "p.txt"),
    ]
    assert blob(repo.root, "HEAD:p.txt") == (repo.root / "p.txt").read_bytes() == b"one\n2\n"
    assert blob(repo.root, "HEAD:d") == (repo.root / "d").read_bytes() == b"now a file\n"
    assert repo.git("status", "--porcelain") == ""
    assert scalpel(repo.root, "apply", "-", "--json", stdin=PATCH).error["code"] in (
        "patch_failed",
        "file_not_found",
    )


def test_mv_keeps_content_and_history_of_a_file(repo: Sandbox) -> None:
    data = scalpel(repo.root, "mv", "a.py", "new/", "--json").data
    assert [(row["path"], row["status"]) for row in data["files"]] == [
        ("a.py", "deleted"),
        ("new/a.py", "added"),
    ]
    assert data["intents"] == []
    assert "unchecked" not in data or data["unchecked"] == []
    assert blob(repo.root, "HEAD:new/a.py") == (repo.root / "new/a.py").read_bytes() == A
    assert not (repo.root / "a.py").exists()
    assert repo.git("log", "--format=%s", "-1", "--follow", "new/a.py") == "Move a.py to new/a.py"


def test_mv_updates_imports_unless_told_not_to(repo: Sandbox) -> None:
    repo.commit({"b.py": b"from a import f\n", "pkg/__init__.py": b""})
    data = scalpel(repo.root, "mv", "a.py", "pkg/", "--json").data
    assert blob(repo.root, "HEAD:b.py") == b"from pkg.a import f\n"
    assert data["affected"] == [{"symbol": "a.py", "references": 1, "files": 1}]
    assert repo.git("log", "--format=%s", "-1") == "Move a.py to pkg/a.py"
    scalpel(repo.root, "mv", "pkg/a.py", "c.py", "--keep-imports")
    assert blob(repo.root, "HEAD:b.py") == b"from pkg.a import f\n"


def test_show_and_edit_accept_the_node_from_find(repo: Sandbox) -> None:
    found = scalpel(repo.root, "find", "return_statement:first", "a.py", "--json").data["matches"][0]
    address = ("a.py", "--node", found["node_id"], "--base", found["blob"])
    scalpel(repo.root, "lines", "a.py:1", "--before", "--code", "# moved down")
    assert scalpel(repo.root, "show", *address, "--json").data["content"] == "return 1"
    scalpel(repo.root, "replace", *address, "--code", "pass")
    assert blob(repo.root, "HEAD:a.py") == b"# moved down\n" + A.replace(b"return 1", b"pass")
    assert scalpel(repo.root, "delete", *address, "--json").error["code"] == "stale"


def test_apply_accepts_the_edit_format_of_other_tools(repo: Sandbox) -> None:
    edit = {"file_path": str(repo.root / "t.txt"), "old_string": "two", "new_string": "2"}
    assert scalpel(repo.root, "apply", "-", "--json", stdin=json.dumps(edit).encode()).status == 0
    assert blob(repo.root, "HEAD:t.txt") == b"one\n2\nthree\n"


@pytest.mark.parametrize(
    ("given", "expected"),
    [('{"ops": [', "changeset"), ('{"ops": 1}', "changeset"), ('{"a": 1}', "known format")],
)
def test_apply_names_the_expected_json(repo: Sandbox, given: str, expected: str) -> None:
    error = scalpel(repo.root, "apply", "-", "--json", stdin=given.encode()).error
    assert error["code"] == "invalid_args"
    assert expected in error["message"]
    assert "ops" in error["hint"]


MAIL = b"""From: A B <a@example.com>
Date: Fri, 1 Mar 2024 10:00:00 +0100
Subject: [PATCH] Count to three

Two is not enough.
---
 t.txt | 2 +-

diff --git a/t.txt b/t.txt
--- a/t.txt
+++ b/t.txt
@@ -1,3 +1,3 @@
 one
-two
+2
 three
"""


def test_mail_sets_message_and_author(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "apply", "--no-land", "--json", stdin=MAIL).data["tx"]
    scalpel(repo.root, "land", tx)
    logged = repo.git("log", "-1", "--format=%an <%ae> %ad %cn%n%B")
    author, text = logged.split("\n", 1)
    assert author.startswith("A B <a@example.com> Fri Mar 1 10:00:00 2024 +0100 ")
    assert not author.endswith(" A B")
    assert text.startswith("Count to three\n\nTwo is not enough.")


def test_message_option_overrides_the_mail(repo: Sandbox) -> None:
    scalpel(repo.root, "apply", "-m", "Mine", stdin=MAIL)
    assert repo.git("log", "-1", "--format=%s %an").strip() == "Mine A B"


def test_stale_documentation_is_reported(tmp_path: Path) -> None:
    files = {"a.py": b"def read(path):\n    pass\n", "README.md": b"Call `read(path)`.\n"}
    repo = Sandbox.of(tmp_path / "stale", files)
    answer = scalpel(
        repo.root, "signature", "a.py::read", "--code", "def read(path, mode):", "--dry-run", "--json"
    )
    why = "it calls read, whose signature has changed"
    assert answer.data["stale_docs"] == [{"path": "README.md", "line": 1, "why": why}]
    output = scalpel(repo.root, "signature", "a.py::read", "--code", "def read(path, mode):").err
    assert output == f"note: README.md:1: {why}\n"


def test_line_of_documentation_is_reported_once(tmp_path: Path) -> None:
    files = {"a.py": b"def read(path):\n    pass\n", "README.md": b"Call `read(path)`.\n"}
    repo = Sandbox.of(tmp_path / "once", files)
    answer = scalpel(repo.root, "rename", "a.py::read", "load", "--dry-run", "--json")
    assert answer.data["unchecked"] == [
        "README.md:1: read is left: names are not followed in this type of file"
    ]
    assert "stale_docs" not in answer.data
