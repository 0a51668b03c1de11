"""A three-way landing on a branch that has moved, against ``git merge-tree`` and a plain landing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from bench.repos import EDITED, run, timed
from bench.side_by_side.bench import Bench
from bench.side_by_side.pairs import paired
from bench.side_by_side.values import Row
from bench.side_by_side.ways.git import GIT
from bench.side_by_side.ways.scalpel import command
from bench.side_by_side.ways.way import back_or_forth


def rows(bench: Bench) -> Iterator[Row]:
    """Measure it in every size."""
    for files in bench.files:
        root = bench.sides(files).subject
        pair = paired(
            lambda number, root=root: _landed(root, number),  # type: ignore[misc]
            lambda number, root=root: _by_hand(root, number),  # type: ignore[misc]
            bench.rounds,
        )
        yield Row(
            row="merged",
            what="a transaction landed on a branch that has moved",
            way="git scalpel land, cold",
            against="git merge-tree + a landing that merges nothing",
            files=files,
            value=pair.value,
            other=pair.other,
            ratio=pair.ratio,
            budget=2.0,
        )


def _landed(root: Path, number: int) -> float:
    words = f"# {number} landed"
    tx = _beside(root, words)
    took = timed(lambda: run(root, "git", "scalpel", "land", tx))
    if words not in (root / EDITED).read_text():
        raise SystemExit(f"{root} does not hold what was merged")
    return took


def _by_hand(root: Path, number: int) -> float:
    tx = _beside(root, f"# {number} dropped")
    edit = back_or_forth(root)

    def act() -> None:
        run(root, "git", "merge-tree", "--write-tree", "main", f"scalpel/tx/{tx}")
        run(root, *command(edit), stdin=edit.new)

    took = timed(act)
    run(root, "git", "scalpel", "drop", tx)
    return took


def _beside(root: Path, words: str) -> str:
    """An open transaction that edits the end of the file, whose top has moved on since."""
    last = (root / EDITED).read_text().splitlines()[-1]
    asked = ("text", EDITED, "--old", last, "--new", f"    return value - 8  {words}", "--no-land", "--json")
    tx = str(json.loads(run(root, "git", "scalpel", *asked))["data"]["tx"])
    with GIT.opened(root) as doing:
        doing(back_or_forth(root))()
    return tx
