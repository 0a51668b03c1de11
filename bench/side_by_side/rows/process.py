"""An edit in a process that stays: landed, beyond its syncs; and in an open transaction, beyond the parse."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import gitscalpel
from bench.repos import EDITED, timed
from bench.side_by_side.bench import Bench
from bench.side_by_side.pairs import Pair, paired
from bench.side_by_side.values import Row
from bench.side_by_side.ways.scalpel import IN_PROCESS
from bench.side_by_side.ways.way import back_or_forth, clean, turn
from gitscalpel import Replace, Repository
from gitscalpel.edit.source import Source


def rows(bench: Bench) -> Iterator[Row]:
    """Measure both in every size."""
    for files in bench.files:
        root = bench.sides(files).subject
        value, other, ratio = _landed(root, bench.rounds)
        yield Row(
            row="process",
            what="one symbol replaced and landed, without its syncs",
            way=IN_PROCESS.name,
            against="the same with them",
            files=files,
            value=value,
            other=other,
            ratio=ratio,
            budget=15.0 if files == 20_000 else None,
            on="value",
        )
        with gitscalpel.open(root) as repo:
            value, other, ratio = _staged(repo, root, bench.rounds)
        yield Row(
            row="process",
            what="one symbol replaced in an open transaction, without the parse",
            way=IN_PROCESS.name,
            against="the parse",
            files=files,
            value=value - other,
            other=other,
            ratio=ratio,
            budget=10.0 if files == 20_000 else None,
            on="value",
        )


def _landed(root: Path, rounds: int) -> Pair:
    """Without its syncs, and with them: both of the same landings."""
    with IN_PROCESS.opened(root) as doing:
        once = turn(root, doing)
        both = []
        for number in range(rounds + 1):
            with _syncs() as synced:
                took = once(number)
            both.append((took - sum(synced), took))
    clean(root)
    without, whole = zip(*both[1:], strict=True)
    ratio = statistics.median(a / b for a, b in both[1:])
    return Pair(statistics.median(without), statistics.median(whole), ratio)


@contextmanager
def _syncs() -> Iterator[list[float]]:
    """The milliseconds of each ``fsync`` of this process."""
    found: list[float] = []
    real = os.fsync

    def fsync(file: int) -> None:
        began = time.perf_counter()
        real(file)
        found.append((time.perf_counter() - began) * 1000)

    os.fsync = fsync  # type: ignore[assignment]
    try:
        yield found
    finally:
        os.fsync = real


def _staged(repo: Repository, root: Path, rounds: int) -> Pair:
    tx = repo.begin()

    def staged(number: int) -> float:
        edit = back_or_forth(root)
        code = edit.new if number % 2 else edit.old.replace("return", f"{number}\n    return")
        return timed(lambda: tx.edit(Replace(path=edit.path, symbol=edit.name, code=code)))

    def parsed(_: int) -> float:
        text = (root / EDITED).read_bytes()
        return timed(lambda: Source.read(EDITED, text).syntax)

    pair = paired(staged, parsed, rounds)
    tx.drop()
    return pair
