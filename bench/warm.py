"""What a gate in a warm worktree takes beyond its own time, against ``git worktree add``; in one run.

In a process that stays: an edit that lands behind a gate whose command does nothing, and one without it.
What a call of the command line loads for a gate is in ``bench.gates``. The worktrees lie where ``TMPDIR``
says: in memory ``git worktree add`` is as fast as it gets, on a disk it takes many times as long.

    python -m bench.warm                          # 1,000 and 20,000 files
    python -m bench.warm --files 80000 --rounds 5
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
from pathlib import Path

import gitscalpel
from bench.repos import BODIES, EDITED, make, run, sealed, timed
from gitscalpel import Repository, Text

GATE = '[[gates.command]]\nname = "test"\nrun = "true"\n'


def edit(opened: Repository, turn: int) -> None:
    """Land the edit, or its reverse."""
    old, new = BODIES if turn % 2 == 0 else BODIES[::-1]
    opened.edit(Text(path=EDITED, old=old, new=new))


def measured(files: int, rounds: int, folder: Path) -> list[float]:
    """Medians of the milliseconds: with the gate, without it, and of ``git worktree add``."""
    roots = make(folder / "gated", files, **{".gitscalpel.toml": GATE}), make(folder / "plain", files)
    added = folder / "added"
    add = ("git", "worktree", "add", "-q", "--detach", str(added))
    taken: list[tuple[float, float, float]] = []
    with gitscalpel.open(roots[0]) as gated, gitscalpel.open(roots[1]) as plain:
        for turn in range(rounds + 2):
            with_gate = timed(lambda: edit(gated, turn))  # noqa: B023 - called at once
            without = timed(lambda: edit(plain, turn))  # noqa: B023
            taken.append((with_gate, without, timed(lambda: run(roots[1], *add))))
            shutil.rmtree(added)
            run(roots[1], "git", "worktree", "prune")
    return [statistics.median(column) for column in zip(*taken[2:], strict=True)]


def main() -> None:
    """Print a line for each size."""
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    given.add_argument("--files", type=int, nargs="+", default=[1000, 20000])
    given.add_argument("--rounds", type=int, default=9)
    said = given.parse_args()
    print(f"medians of {said.rounds}, in {tempfile.gettempdir()}")
    for files in said.files:
        with sealed() as folder:
            os.environ.update({"SCALPEL_TRUST": "1", "SCALPEL_FRESH": "1"})
            gated, plain, add = measured(files, said.rounds, folder)
        spent = f"gated {gated:6.0f} ms, plain {plain:6.0f} ms, worktree add {add:6.0f} ms"
        print(f"{files:6} files: {spent}: {(gated - plain) / add:.3f} of a worktree add", flush=True)


if __name__ == "__main__":
    main()
