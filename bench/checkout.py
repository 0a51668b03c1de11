"""Edits of the checkout and snapshots, against the ways to do it without gitscalpel; in one run and by turns.

One edit of one file: written by Python (the floor), by ``git apply``, by the command line and in a process
that stays. One state of the whole checkout after one file has changed: as a snapshot (by the command line, in
a process that stays), by ``git stash create`` and as a copy of the folder; with the bytes that a step costs.
Only ratios mean something on another machine; gitscalpel syncs what it writes, the others do not.

    python -m bench.checkout                          # 1,000 and 20,000 files
    python -m bench.checkout --files 1000 --rounds 21
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path

import gitscalpel
from bench.repos import BODIES, EDITED, content, make, run, sealed, timed
from gitscalpel import Repository, Text

OLD, NEW = content(BODIES[0]), content(BODIES[1])


def patch(root: Path) -> str:
    """The edit as git has it."""
    (root / EDITED).write_text(NEW)
    diff = run(root, "git", "diff")
    (root / EDITED).write_text(OLD)
    return diff


def edits(root: Path, opened: Repository) -> dict[str, Callable[[], object]]:
    """Each way to make the edit."""
    diff = patch(root)
    text = Text(path=EDITED, old=BODIES[0], new=BODIES[1])
    call = ("git", "scalpel", "text", EDITED, "--checkout", "--old", BODIES[0], "--new", BODIES[1])
    return {
        "python": lambda: (root / EDITED).write_text((root / EDITED).read_text().replace(*BODIES)),
        "git apply": lambda: run(root, "git", "apply", "-", stdin=diff),
        "git scalpel --checkout": lambda: run(root, *call),
        "in a process": lambda: opened.edit(text, onto="@checkout"),
    }


def states(root: Path, opened: Repository, beside: Path) -> dict[str, Callable[[], object]]:
    """Each way to keep the state of the checkout."""

    def copied() -> None:
        shutil.rmtree(beside, ignore_errors=True)
        shutil.copytree(root, beside, ignore=shutil.ignore_patterns(".git"), symlinks=True)

    return {
        "git stash create": lambda: run(root, "git", "stash", "create"),
        "copy of the folder": copied,
        "git scalpel snapshot": lambda: run(root, "git", "scalpel", "snapshot"),
        "in a process": opened.snapshot,
    }


def size(folder: Path) -> int:
    """Bytes of the files below, as they are counted on the disk."""
    out = subprocess.run(["du", "-sk", str(folder)], capture_output=True, check=True).stdout
    return int(out.split()[0]) * 1024


def measured(files: int, rounds: int, folder: Path) -> None:
    """Print a table for a repository of so many files."""
    root, beside = folder / "repo", folder / "copy"
    make(root, files)
    with gitscalpel.open(root) as opened:
        ways, kept = edits(root, opened), states(root, opened, beside)
        took: dict[str, list[float]] = {}
        for turn in range(rounds):
            for name, act in ways.items():
                (root / EDITED).write_text(OLD)
                took.setdefault(f"edit: {name}", []).append(timed(act))
                assert (root / EDITED).read_text() == NEW, name
            for name, act in kept.items():
                (root / EDITED).write_text(f"{OLD}# {turn} {name}\n")
                took.setdefault(f"state: {name}", []).append(timed(act))
        print(f"{files} files, medians of {rounds}")
        floor = {"edit": "edit: git apply", "state": "state: git stash create"}
        for name, seconds in took.items():
            median = statistics.median(seconds)
            by = statistics.median(took[floor[name.partition(":")[0]]])
            print(f"  {name:32} {median:8.1f} ms  {median / by:6.2f}")
        before = size(root / ".git")
        for turn in range(20):
            (root / EDITED).write_text(f"{OLD}# step {turn}\n")
            opened.snapshot()
        step = (size(root / ".git") - before) / 20
    print(f"  a step of a snapshot: {step / 1024:.1f} kB; of a copy: {size(beside) / 1024:.0f} kB")


def main() -> None:
    """Print the tables."""
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    given.add_argument("--files", type=int, nargs="+", default=[1000, 20000])
    given.add_argument("--rounds", type=int, default=9)
    said = given.parse_args()
    for files in said.files:
        with sealed() as folder:
            measured(files, said.rounds, folder)


if __name__ == "__main__":
    main()
