"""Count what a call of each kind takes: ``python -m tests.cli.counts`` writes the table.

Milliseconds depend on the machine. Loaded modules, started processes, opened files and syncs do not.
A test compares each call with its row, so that an increase or a decrease is noticed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.command import SEARCH, started
from tests.conftest import seal
from tests.sandbox import Sandbox, no_bubblewrap

TABLE = Path(__file__).with_name("counts.json")
_SOURCE = Path(__file__).parent.parent.parent
_TEXT = b"def f():\n    return 1\n\n\nclass A:\n    def m(self):\n        return 2\n"
_CALLS = {
    "show": ("show", "a.py"),
    "show a symbol": ("show", "a.py::A.m"),
    "outline": ("outline", "a.py"),
    "find": ("find", "class[name=A] > method", "a.py"),
    "status": ("status",),
    "diff": ("diff", "TX"),
    "log": ("log",),
    "list": ("list",),
    "text --dry-run": ("text", "a.py", "--old", "return 1", "--new", "return 3", "--dry-run"),
    "text": ("text", "a.py", "--old", "return 1", "--new", "return 3", "-m", "three"),
    "replace": ("replace", "a.py::A.m", "--code", "def m(self):\n    return 4\n", "-m", "four"),
    "undo": ("undo",),
    "text --checkout": ("text", "a.py", "--old", "return 2", "--new", "return 5", "--checkout"),
}
"""Calls in their order in one repository; those that change nothing come first."""


def count_calls(place: Path) -> dict[str, dict[str, Any]]:
    """Return the table as it is now."""
    repo = Sandbox.of(place / "repo", {"a.py": _TEXT, "b.py": b"x = 1\n"})
    # Otherwise object names decide which directories are made and synced.
    for number in range(256):
        (repo.root / f".git/objects/{number:02x}").mkdir(exist_ok=True)
    started(repo.root, "text", "b.py", "--old", "1", "--new", "2", "-m", "two")
    tx = started(repo.root, "begin", "-m", "open", "--json").data["tx"]
    started(repo.root, "text", "b.py", "--old", "2", "--new", "3", "--tx", tx)
    return {
        name: _call(repo.root, place / "took", [tx if word == "TX" else word for word in words])
        for name, words in _CALLS.items()
    }


def _call(root: Path, counts_file: Path, argv: list[str]) -> dict[str, Any]:
    trace_file = counts_file.with_suffix(".git")
    trace_file.touch()  # git writes no trace if the call does not start git
    env = {
        **os.environ,
        "PATH": SEARCH + os.pathsep + os.environ["PATH"],
        "PYTHONPATH": str(_SOURCE),
        "GIT_TRACE2_EVENT": str(trace_file),
    }
    command = [sys.executable, "-m", "tests.cli.measured_call", str(counts_file), *argv]
    done = subprocess.run(command, cwd=root, env=env, capture_output=True, check=False)
    assert done.returncode == 0, (argv, done.stderr.decode())
    counts: dict[str, Any] = {**json.loads(counts_file.read_text()), **_count_git(trace_file)}
    trace_file.unlink()
    return counts


def _count_git(trace_file: Path) -> dict[str, int]:
    """Count the git processes that gitscalpel starts, and those that move refs."""
    commands = [
        event["argv"]
        for event in map(json.loads, trace_file.read_text("utf-8").splitlines())
        if _is_start(event)
    ]
    return {"git": len(commands), "ref transactions": sum("update-ref" in words for words in commands)}


def _is_start(event: dict[str, Any]) -> bool:
    """Return True for a process that git did not start: its session ID has no slash."""
    return event["event"] == "start" and "/" not in event["sid"]


def format_table(table: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of the table file, one row each."""
    rows = [f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in table.items()]
    yield from ("{", ",\n".join(rows), "}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        home = Path(folder, "home")
        home.mkdir()
        seal(patch, home, no_bubblewrap(home))
        TABLE.write_text("\n".join([*format_table(count_calls(Path(folder))), ""]), "utf-8")
