"""Warnings and notes below the result of an edit: grouped by file, limited, each once."""

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


def test_the_result_comes_first_and_mentions_are_counted(repo: Sandbox) -> None:
    done = scalpel(repo.root, "rename", "a.py::load", "read")
    first, *files, last = done.out.splitlines()
    assert first.startswith("landed on main: Rename load to read  [")
    assert files == ["  a.py  +1 -1", "  b.py  +2 -2"]
    assert last == "undo with: git scalpel undo"
    tx = first.partition("[")[2][:-1]
    said = "note: 6 mentions in 4 files left (2 in strings, 1 in comments, 3 in other languages)"
    assert done.err == f"{said}: `git scalpel show-tx {tx} --list-mentions`\n"
    assert scalpel(repo.root, "show-tx", tx, "--list-mentions").err.splitlines() == [
        "note: a.py:3: load is left: it stands in a comment",
        "note: b.py:3, 4: load is left: it stands in a string",
        "note: c.md:1, 2: load is left: names are not followed in this type of file",
        "note: d.md:1: load is left: names are not followed in this type of file",
    ]


def test_a_dry_run_lists_mentions_on_request(repo: Sandbox) -> None:
    command = ["rename", "a.py::load", "read", "--dry-run"]
    assert scalpel(repo.root, *command).err.endswith("other languages): `--list-mentions`\n")
    assert len(scalpel(repo.root, *command, "--list-mentions").err.splitlines()) == 4


def test_programs_get_all_findings_and_the_same_warnings(repo: Sandbox) -> None:
    done = scalpel(repo.root, "rename", "a.py::load", "read", "--dry-run", "--json")
    texts = [
        "b.py:3, 4: load is left: it stands in a string",
        "a.py:3: load is left: it stands in a comment",
        "c.md:1, 2: load is left: names are not followed in this type of file",
        "d.md:1: load is left: names are not followed in this type of file",
    ]
    assert sorted(done.json["warnings"]) == sorted(done.data["unchecked"]) == sorted(texts)
    assert done.data["findings"][-2] == {
        "severity": "note",
        "kind": "other_language",
        "message": "load is left: names are not followed in this type of file",
        "path": "c.md",
        "lines": [1, 2],
    }


def test_what_may_break_the_program_is_a_warning(tmp_path: Path) -> None:
    files = {f"u{n:02}.py": b"def f(it):\n    it.run()\n" for n in range(12)}
    files["a.py"] = b"class A:\n    def run(self): pass  # run\n"
    repo = Sandbox.of(tmp_path / "repo", files)
    *rows, rest, note = scalpel(repo.root, "rename", "a.py::A.run", "go", "--dry-run").err.splitlines()
    assert rows == [f"warning: u{n:02}.py:2: run is left: it is a parameter" for n in range(10)]
    assert rest == "warning: 2 more in 2 files: `--json`"
    assert note == "note: a.py:2: run is left: it stands in a comment"
