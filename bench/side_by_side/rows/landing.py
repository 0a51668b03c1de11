"""One symbol replaced and landed: every way there is, against git alone."""

from __future__ import annotations

from collections.abc import Iterator

from bench.side_by_side.bench import Bench
from bench.side_by_side.pairs import paired
from bench.side_by_side.values import Row
from bench.side_by_side.ways import scalpel, traits
from bench.side_by_side.ways.git import GIT
from bench.side_by_side.ways.way import Way, clean, turn
from bench.side_by_side.ways.worktree import WORKTREE

_BUDGETS = {
    (scalpel.COLD.name, 1_000): 6.0,
    (scalpel.COLD.name, 20_000): 2.5,
    (scalpel.COLD.name, 80_000): 1.3,
    (scalpel.THROUGH_SERVER.name, 1_000): 2.5,
    (scalpel.THROUGH_SERVER.name, 20_000): 1.3,
    (scalpel.THROUGH_SERVER.name, 80_000): 1.1,
}


def rows(bench: Bench) -> Iterator[Row]:
    """Measure it in every size; what a way does beside the edit is tried once."""
    ours = (scalpel.COLD, scalpel.THROUGH_SERVER, scalpel.IN_PROCESS, WORKTREE)
    theirs = [way for other in bench.others for way in other.ways]
    does: dict[str, str] = {}
    for way in (GIT, *ours, *theirs):
        does[way.name] = does.get(way.alike) or traits.told(way, bench.fresh())
    yield _row(GIT.name, 0, does=does[GIT.name])
    for files in bench.files:
        for way in (*ours, *theirs):
            yield measured(bench, way, files, does[way.name])
        for other in bench.others:
            if other.missing:
                yield _row(other.name, files, missing=other.missing)


def measured(bench: Bench, way: Way, files: int, does: str = "") -> Row:
    """One way in one size."""
    sides = bench.sides(files)
    with way.opened(sides.subject) as doing, GIT.opened(sides.floor) as floor:
        rounds = bench.few if way.slow else bench.rounds
        pair = paired(turn(sides.subject, doing), turn(sides.floor, floor), rounds)
    for root in sides:
        clean(root)
    value, other, ratio = pair
    return _row(way.name, files, value=value, other=other, ratio=ratio, does=does)


def _row(
    way: str,
    files: int,
    *,
    value: float = 0.0,
    other: float = 0.0,
    ratio: float = 0.0,
    does: str = "",
    missing: str = "",
) -> Row:
    return Row(
        row="landing",
        what="one symbol replaced and landed",
        way=way,
        against=GIT.name,
        files=files,
        value=value,
        other=other,
        ratio=ratio,
        budget=_BUDGETS.get((way, files)),
        does=does,
        missing=missing,
    )
