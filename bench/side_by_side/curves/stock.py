"""How one landed edit in a process that stays grows with what has gathered: transactions, refs."""

from __future__ import annotations

import statistics
from contextlib import ExitStack

from bench.growth import Farm
from bench.repos import make, run
from bench.side_by_side.bench import Bench
from bench.side_by_side.pairs import series
from bench.side_by_side.values import Curve, Point
from bench.side_by_side.ways.scalpel import IN_PROCESS
from bench.side_by_side.ways.way import turn

_TRANSACTIONS = (100, 250, 500, 1_000)
_REFS = (1, 100, 1_000, 10_000)
_SAMPLE = 20


def transactions(bench: Bench) -> Curve:
    """That have landed before, each time by turns with a repository that has had few."""
    points = []
    with ExitStack() as until:
        old = Farm(bench.fresh() / "old", until)
        for count in _TRANSACTIONS:
            young = Farm(bench.fresh() / "young", until)
            for _ in range(_SAMPLE):
                young.land()
            while len(old.took) < count - _SAMPLE:
                old.land()
            for _ in range(_SAMPLE):
                young.land()
                old.land()
            points.append(_point(count, old, young))
    return Curve("transactions", "transactions so far", tuple(points))


def _point(count: int, old: Farm, young: Farm) -> Point:
    pairs = [(a.clock, b.clock) for a, b in zip(old.took[-_SAMPLE:], young.took[-_SAMPLE:], strict=True)]
    ratio = statistics.median(a / b for a, b in pairs)
    return Point(count, statistics.median(a for a, _ in pairs) * 1000, ratio)


def refs(bench: Bench) -> Curve:
    """Branches of the repository, packed as git leaves them."""
    with ExitStack() as until:
        turns = {}
        for count in _REFS:
            root = make(bench.fresh() / "repo", 50)
            tip = run(root, "git", "rev-parse", "HEAD").strip()
            lines = "".join(f"create refs/heads/b{n} {tip}\n" for n in range(count - 1))
            run(root, "git", "update-ref", "--stdin", stdin=lines)
            run(root, "git", "pack-refs", "--all")
            turns[count] = turn(root, until.enter_context(IN_PROCESS.opened(root)))
        points = series(turns, bench.rounds)
    return Curve("refs", "branches", points)
