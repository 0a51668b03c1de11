"""How long an edit takes of each of so many processes that edit one file at the same time."""

from __future__ import annotations

from bench.side_by_side.bench import Bench
from bench.side_by_side.pairs import series
from bench.side_by_side.rows.writers import TARGETS, at_once, repository
from bench.side_by_side.values import Curve

_WRITERS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


def writers(bench: Bench) -> Curve:
    """Until the last is done, for each of them."""
    counts = [count for count in _WRITERS if count <= max(bench.files)]
    root = repository(bench.fresh() / "repo", max(counts))
    target = TARGETS["one file"]
    turns = {
        count: lambda n, count=count: at_once(root, target, count, _new(n, count), {}) / count
        for count in counts
    }
    return Curve("writers", "processes that edit one file at once", series(turns, 1))


def _new(number: int, count: int) -> int:
    """What nobody has written before, or nothing would change."""
    return number * 1_000 + count
