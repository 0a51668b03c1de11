"""Read commands and transaction commands: text, JSON and exit status."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from gitscalpel import __version__
from gitscalpel.commands.table import COMMON_COMMANDS
from tests.command import SEARCH, scalpel
from tests.sandbox import Sandbox

A = b"import os\n\n\n# why\nclass A:\n    x = 1\n\n    def m(self):\n        return 1\n\n\ndef f(): pass\n"

M = b"def m(self):\n        return 1"


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(
        tmp_path / "repo", {"a.py": A, "d/b.js": b"function b() {}\n", "t.txt": b"one\r\ntwo\n"}
    )


def digest(content: bytes, digits: int) -> str:
    return hashlib.blake2b(content).hexdigest()[:digits]


def test_outline_lists_symbols(repo: Sandbox) -> None:
    answer = scalpel(repo.root, "outline", "a.py")
    whole = A[A.index(b"# why") : A.index(b"\n\n\ndef")]
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.splitlines() == [
        "a.py (python)",
        f"  A  class  5-9  {digest(whole, 12)}",
        f"    A.x  field  6-6  {digest(b'x = 1', 12)}",
        f"    A.m  method  8-9  {digest(M, 12)}",
        f"  f  function  12-12  {digest(b'def f(): pass', 12)}",
    ]
    (file,) = scalpel(repo.root, "outline", "a.py", "--json").data
    assert (file["path"], file["language"]) == ("a.py", "python")
    assert [s["name"] for s in file["symbols"]] == ["A", "f"]
    assert file["symbols"][0]["lead"] == [4, 4]
    assert [s["qualname"] for s in file["symbols"][0]["children"]] == ["A.x", "A.m"]
    assert [f["path"] for f in scalpel(repo.root, "outline", ".", "--json").data] == ["a.py", "d/b.js"]
    assert scalpel(repo.root, "outline", "t.txt", "--json").error["code"] == "unsupported_language"


def test_show_prints_a_symbol(repo: Sandbox) -> None:
    data = scalpel(repo.root, "show", "a.py::A", "--json").data
    whole = A[A.index(b"# why") : A.index(b"\n\n\ndef")]
    assert data["content"].encode() == whole
    assert data["hash"] == digest(whole, 12)
    assert data["span"] == [4, 9]
    assert [row["n"] for row in data["lines"]] == [4, 5, 6, 7, 8, 9]
    assert data["lines"][1] == {"n": 5, "hash": digest(b"class A:", 4), "text": "class A:"}
    assert data["blob"] == repo.git("rev-parse", "HEAD:a.py")
    assert (data["encoding"], data["eol"], data["total_lines"], data["dirty"]) == ("utf-8", "lf", 12, False)
    assert data["symbol"]["children"] == ["A.x", "A.m"]
    assert data["symbol"]["siblings"] == ["f"]
    assert scalpel(repo.root, "show", "a.py::A").out.splitlines()[0] == f"4:{digest(b'# why', 4)}| # why"


def test_lines_accepts_the_range_from_show(repo: Sandbox) -> None:
    shown = scalpel(repo.root, "show", "t.txt:1-2", "--json").data
    assert (shown["content"], shown["eol"]) == ("one\r\ntwo\n", "mixed")
    address = f"t.txt:{shown['range']}"
    assert scalpel(repo.root, "lines", address, "--code", "x", "--base", shown["blob"], "--json").data[
        "landed"
    ]
    assert scalpel(repo.root, "lines", address, "--code", "y", "--json").error["code"] in (
        "stale",
        "out_of_range",
    )
    shown = scalpel(repo.root, "show", "a.py::f", "--json").data
    edit = ("replace", "a.py::f", "--code", "def f(): ...", "--expect", shown["hash"], "--json")
    assert scalpel(repo.root, *edit).data["landed"]
    assert scalpel(repo.root, *edit).error["code"] == "stale"


def test_show_reads_branch_and_checkout(repo: Sandbox) -> None:
    repo.write({"t.txt": b"dirty\n"})
    data = scalpel(repo.root, "show", "t.txt", "--json").data
    assert (data["content"], data["dirty"]) == ("one\r\ntwo\n", True)
    assert scalpel(repo.root, "show", "t.txt", "--checkout", "--json").data["content"] == "dirty\n"
    answer = scalpel(repo.root, "show", "t.txt")
    assert answer.status == 0
    assert "uncommitted" in answer.err


def test_find_lists_matches(repo: Sandbox) -> None:
    answer = scalpel(repo.root, "find", "method")
    assert (answer.status, answer.out, answer.err) == (0, "a.py:8  A.m  method\n", "")
    (match,) = scalpel(repo.root, "find", "method", "a.py", "--json").data["matches"]
    assert match["code"] == M.decode()
    assert (match["start_line"], match["end_line"], match["start_column"]) == (8, 9, 5)
    assert scalpel(repo.root, "find", "class[name=B]", "--json").data == {"matches": []}
    assert scalpel(repo.root, "find", "[", "--json").status == 2


def test_transaction_from_staging_to_undo(repo: Sandbox) -> None:
    base = repo.tip()
    edit = ("text", "t.txt", "--old", "two", "--new", "2", "-m", "Two")
    staged = scalpel(repo.root, *edit, "--no-land", "--json")
    tx, head = staged.data["tx"], staged.data["head"]
    assert staged.json["next"] == [f"git scalpel land {tx}", f"git scalpel drop {tx}"]
    assert (staged.data["state"], staged.data["landed"], repo.tip()) == ("checked", None, base)

    status = scalpel(repo.root, "status", "--json").data
    assert (status["branch"], status["tip"], status["recovery_pending"]) == ("main", base, False)
    assert [(row["tx"], row["target"], row["message"], row["paths"]) for row in status["transactions"]] == [
        (tx, "main", "Two", ["t.txt"])
    ]
    opened = f"  {tx}  open  main  Two\n"
    assert scalpel(repo.root, "status").out == f"on main at {base[:12]}\n{opened}"

    diff = scalpel(repo.root, "diff", tx[:4])
    assert (diff.status, diff.err) == (0, "")
    assert (
        diff.out
        == staged.data["diff"]
        == scalpel(repo.root, "diff", f"scalpel/tx/{tx}", "--json").data["diff"]
    )

    landed = scalpel(repo.root, "land", tx, "--json")
    assert (landed.data["state"], landed.data["landed"]) == ("landed", head)
    assert repo.tip() == head
    assert scalpel(repo.root, "land", tx, "--json").error["code"] == "tx_closed"
    assert scalpel(repo.root, "status").out == f"on main at {head[:12]}\nno open transactions\n"

    undone = scalpel(repo.root, "undo", "--json")
    assert (undone.data["state"], undone.data["tx"], undone.data["revert"]) == ("undone", tx, False)
    assert (repo.tip(), repo.status()) == (base, "")
    redone = scalpel(repo.root, "redo")
    assert redone.out.startswith(f"landed again: Two  [{tx}]")
    assert repo.tip() == head
    assert scalpel(repo.root, "redo", "--json").error["code"] == "nothing_to_undo"

    rows = scalpel(repo.root, "log", "--json").data
    assert [(row["kind"], row["tx"], row["after"]) for row in rows] == [
        ("redo", tx, head),
        ("undo", tx, base),
        ("land", tx, head),
    ]
    assert rows[2]["paths"] == ["t.txt"]
    assert len(scalpel(repo.root, "log", "-n", "1").out.splitlines()) == 1


def test_drop_closes_the_transaction(repo: Sandbox) -> None:
    edit = ("text", "t.txt", "--old", "two", "--new", "2", "--no-land", "--json")
    tx = scalpel(repo.root, *edit).data["tx"]
    answer = scalpel(repo.root, "drop", tx)
    assert (answer.status, answer.err) == (0, "")
    assert f"dropped {tx}" in answer.out
    assert scalpel(repo.root, "drop", tx, "--json").error["code"] == "tx_closed"
    tx = scalpel(repo.root, *edit).data["tx"]
    assert scalpel(repo.root, "drop", tx, "--json").data["state"] == "dropped"


def test_undo_by_transaction_id(repo: Sandbox) -> None:
    tx = scalpel(repo.root, "rm", "t.txt", "--json").data["tx"]
    answer = scalpel(repo.root, "undo", tx)
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.startswith("undone: ")
    assert scalpel(repo.root, "undo", tx, "--json").error["code"] == "nothing_to_undo"


def test_recover_without_pending_operation(repo: Sandbox) -> None:
    answer = scalpel(repo.root, "recover")
    assert (answer.status, answer.out, answer.err) == (0, "nothing to recover\n", "")
    expected = {"done": [], "message": "nothing to recover", "recovery": "none"}
    assert scalpel(repo.root, "recover", "--json").data == expected


def test_version_and_help_are_printed(repo: Sandbox) -> None:
    assert scalpel(repo.root, "--version").out == f"git-scalpel {__version__}\n"
    shown = scalpel(repo.root, "-h")
    assert shown.status == 0
    assert set(shown.out.split()) >= COMMON_COMMANDS
    assert "worktree" not in shown.out
    assert scalpel(repo.root, "replace", "-h").out.startswith("usage: git scalpel replace")


@pytest.mark.parametrize(
    "arguments",
    [
        ["no-such-verb"],
        ["replace"],
        ["replace", "a.py::f", "--no-such-option"],
        ["text", "t.txt", "--old", "a"],
        ["text", "t.txt", "--old", "a", "--new", "b", "--count", "many"],
        ["replace", "a.py::f", "--code", "x", "--code-file", "y"],
        ["replace", "a.py", "--code", "x"],
        ["replace", "a.py::f", "--code", ""],
        ["replace", "a.py::f", "--query", "class", "--code", "x"],
        ["delete", "a.py::"],
        ["land"],
        ["land", "a", "b"],
        ["log", "-n", "x"],
    ],
    ids=" ".join,
)
def test_invalid_call_is_reported_as_text_and_json(repo: Sandbox, arguments: list[str]) -> None:
    before = repo.state()
    answer = scalpel(repo.root, *arguments, "--json")
    assert (answer.error["code"], answer.status, answer.err) == ("invalid_args", 2, "")
    answer = scalpel(repo.root, *arguments)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith("error: invalid_args: ")
    assert repo.state() == before


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["lines", "t.txt:0", "--code", "x"], "invalid_ref"),
        (["lines", "t.txt:1:zz", "--code", "x"], "invalid_ref"),
        (["lines", "t.txt:-1", "--code", "x"], "invalid_ref"),
        (["lines", "t.txt:2-1", "--code", "x"], "invalid_range"),
        (["lines", "t.txt:1", "--before", "--after", "--code", "x"], "invalid_position"),
        (["insert", "a.py::f", "--first", "--last", "--code", "x"], "invalid_position"),
        (["show", "t.txt:0"], "invalid_ref"),
        (["show", "t.txt:9"], "out_of_range"),
    ],
)
def test_invalid_line_address_is_refused(repo: Sandbox, arguments: list[str], code: str) -> None:
    assert scalpel(repo.root, *arguments, "--json").error["code"] == code


def test_closed_pipe_ends_quietly(repo: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit({"big.txt": b"line\n" * 50_000})
    repo.git("config", "alias.first", "!git scalpel show big.txt | head -1")
    monkeypatch.setenv("PATH", SEARCH, prepend=os.pathsep)
    done = subprocess.run(["git", "first"], cwd=repo.root, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\n") == 1
