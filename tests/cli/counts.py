"""What a call of each kind takes, counted: ``python -m tests.cli.counts`` writes the table anew.

Milliseconds are the machine's; what is loaded, started, opened and synced is ours. A call that takes more
than its row says has grown, and one that takes less shall not grow back unseen.
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
"""In this order, in one repository: those that change nothing come first."""


def counted(place: Path) -> dict[str, dict[str, Any]]:
    """The table, as it is now."""
    repo = Sandbox.of(place / "repo", {"a.py": _TEXT, "b.py": b"x = 1\n"})
    for number in range(
        256
    ):  # else it is chance whether the folder of an object is there, or made and synced
        (repo.root / f".git/objects/{number:02x}").mkdir(exist_ok=True)
    started(repo.root, "text", "b.py", "--old", "1", "--new", "2", "-m", "two")
    tx = started(repo.root, "begin", "-m", "open", "--json").data["tx"]
    started(repo.root, "text", "b.py", "--old", "2", "--new", "3", "--tx", tx)
    return {
        name: _call(repo.root, place / "took", [tx if word == "TX" else word for word in words])
        for name, words in _CALLS.items()
    }


def _call(root: Path, took: Path, words: list[str]) -> dict[str, Any]:
    traced = took.with_suffix(".git")
    traced.touch()  # there may be none
    env = {
        **os.environ,
        "PATH": SEARCH + os.pathsep + os.environ["PATH"],
        "PYTHONPATH": str(_SOURCE),
        "GIT_TRACE2_EVENT": str(traced),
    }
    command = [sys.executable, "-m", "tests.cli.counted", str(took), *words]
    done = subprocess.run(command, cwd=root, env=env, capture_output=True, check=False)
    assert done.returncode == 0, (words, done.stderr.decode())
    counts: dict[str, Any] = {**json.loads(took.read_text()), **_of_git(traced)}
    traced.unlink()
    return counts


def _of_git(traced: Path) -> dict[str, int]:
    """What git says of itself: the processes that we start, and those that move refs among them."""
    commands = [
        said["argv"] for said in map(json.loads, traced.read_text("utf-8").splitlines()) if _is_start(said)
    ]
    return {"git": len(commands), "ref transactions": sum("update-ref" in words for words in commands)}


def _is_start(said: dict[str, Any]) -> bool:
    return said["event"] == "start" and "/" not in said["sid"]  # else git has started it


def lines(table: dict[str, dict[str, Any]]) -> Iterator[str]:
    """The table as it is written: a row is a line, so that what changes is easily seen."""
    rows = [f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in table.items()]
    yield from ("{", ",\n".join(rows), "}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        home = Path(folder, "home")
        home.mkdir()
        seal(patch, home, no_bubblewrap(home))
        TABLE.write_text("\n".join([*lines(counted(Path(folder))), ""]), "utf-8")
