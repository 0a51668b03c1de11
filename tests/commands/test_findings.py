"""Warnings and notes below the result of an edit are grouped by file, limited and listed once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    files = {
        "a.py": b"def load(path):\n    # path of x\n    found = path  # load\n    return found\n",
        "b.py": b'from a import load\nload(1)\nprint("load found path")\nprint("load")\n',
        "c.md": b"`load(path)` is found.\nload\n",
        "d.md": b"load\n",
    }
    return Sandbox.of(tmp_path / "repo", files)


def test_result_comes_first_and_mentions_are_counted(repo: Sandbox) -> None:
    answer = scalpel(repo.root, "rename", "a.py::load", "read")
    first, *files, last = answer.out.splitlines()
    assert first.startswith("landed on main: Rename load to read  [")
    assert files == ["  a.py  +1 -1", "  b.py  +2 -2"]
    assert last == "undo with: git scalpel undo"
    tx = first.partition("[")[2][:-1]
    note = "note: 6 mentions in 4 files left (2 in strings, 1 in comments, 3 in other languages)"
    assert answer.err == f"{note}: `git scalpel show-tx {tx} --list-mentions`\n"
    assert scalpel(repo.root, "show-tx", tx, "--list-mentions").err.splitlines() == [
        "note: a.py:3: load is left: it is in a comment",
        "note: b.py:3, 4: load is left: it is in a string",
        "note: c.md:1, 2: load is left: names are not followed in this type of file",
        "note: d.md:1: load is left: names are not followed in this type of file",
    ]


def test_dry_run_lists_mentions_on_request(repo: Sandbox) -> None:
    command = ["rename", "a.py::load", "read", "--dry-run"]
    assert scalpel(repo.root, *command).err.endswith("other languages): `--list-mentions`\n")
    assert len(scalpel(repo.root, *command, "--list-mentions").err.splitlines()) == 4


def test_json_contains_all_findings_and_warnings(repo: Sandbox) -> None:
    answer = scalpel(repo.root, "rename", "a.py::load", "read", "--dry-run", "--json")
    texts = [
        "b.py:3, 4: load is left: it is in a string",
        "a.py:3: load is left: it is in a comment",
        "c.md:1, 2: load is left: names are not followed in this type of file",
        "d.md:1: load is left: names are not followed in this type of file",
    ]
    assert sorted(answer.json["warnings"]) == sorted(answer.data["unchecked"]) == sorted(texts)
    assert answer.data["findings"][-2] == {
        "severity": "note",
        "kind": "other_language",
        "message": "load is left: names are not followed in this type of file",
        "path": "c.md",
        "lines": [1, 2],
    }


def test_reference_that_may_break_is_a_warning(tmp_path: Path) -> None:
    files = {f"u{n:02}.py": b"def f(it):\n    it.run()\n" for n in range(12)}
    files["a.py"] = b"class A:\n    def run(self): pass  # run\n"
    repo = Sandbox.of(tmp_path / "repo", files)
    *rows, summary, note = scalpel(repo.root, "rename", "a.py::A.run", "go", "--dry-run").err.splitlines()
    assert rows == [f"warning: u{n:02}.py:2: run is left: it is a parameter" for n in range(10)]
    assert summary == "warning: 2 more in 2 files: `--json`"
    assert note == "note: a.py:2: run is left: it is in a comment"


CALLS = {"a.py": b"def f(a):\n    return a\n", "b.py": b"from a import f\nf(1)\nf(2)\n"}
MISFIT = "warning: b.py:2, 3: the call of f does not fit: b is not given\n"


def test_list_shows_passed_gates_and_warnings(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", CALLS)
    staged = scalpel(repo.root, "signature", "a.py::f", "--code", "def f(a, b)", "--no-land")
    tx = staged.out.partition("[")[2][:8]
    assert staged.err == MISFIT
    assert scalpel(repo.root, "list").out.splitlines()[:2] == [
        f"{tx}  open  main  Change the signature of f in a.py  (2 of 2 gates passed)",
        f"  2 warnings: git scalpel show-tx {tx}",
    ]
    checked = scalpel(repo.root, "check", tx)
    assert checked.out.splitlines()[:2] == [
        "syntax: passed",
        "structure: skipped (each edit was judged when it was made)",
    ]
    assert checked.err == MISFIT
    assert scalpel(repo.root, "show-tx", tx).out.startswith(f"{tx}  open  for main\n")
    landed = scalpel(repo.root, "queue", tx)
    assert (landed.out, landed.err) == (f"landed  {tx}  Change the signature of f in a.py\n", MISFIT)


def test_skipped_gate_shows_its_reason(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.txt": b"a\n"})
    tx = scalpel(repo.root, "text", "a.txt", "--old", "a", "--new", "b", "--no-land", "--json").data["tx"]
    lines = scalpel(repo.root, "check", tx).out.splitlines()
    assert lines[:2] == [
        "syntax: skipped (no changed file can be parsed)",
        "structure: skipped (each edit was judged when it was made)",
    ]


def test_empty_transaction_has_one_hint(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", CALLS)
    tx = scalpel(repo.root, "begin", "-m", "two", "--json").data["tx"]
    error, hint = scalpel(repo.root, "land", tx).err.splitlines()
    assert error == f"error: no_change: transaction {tx} changes nothing"
    assert hint == f"hint: edit in it (--tx {tx}), or drop it: git scalpel drop {tx}"


def test_exported_log_is_one_json_object(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", CALLS)
    scalpel(repo.root, "text", "a.py", "--old", "return a", "--new", "return 1")
    answer = scalpel(repo.root, "audit", "export", "--json").json
    assert (answer["ok"], [row["kind"] for row in answer["data"]]) == (True, ["land"])
