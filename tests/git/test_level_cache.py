"""The cache of tree levels is bounded and evicts the least recently used."""

from __future__ import annotations

from gitscalpel.changesets.file_tree import REGULAR, Entry, Oid
from gitscalpel.git.objects import LevelCache


def _make_level(rows: int) -> dict[str, Entry]:
    return {str(n): Entry(REGULAR, Oid("0" * 40)) for n in range(rows)}


def test_least_recently_used_level_is_evicted() -> None:
    levels = LevelCache(rows=10, fewest=1)
    for name in "abc":
        levels.put(Oid(name), _make_level(4))
        levels.get(Oid("a"))
    assert [levels.get(Oid(name)) is not None for name in "abc"] == [True, False, True]


def test_tree_counts_once_and_an_oversized_one_stays_alone() -> None:
    levels = LevelCache(rows=10, fewest=1)
    for _ in range(9):
        levels.put(Oid("a"), _make_level(4))
    assert levels.get(Oid("a")) is not None
    levels.put(Oid("b"), _make_level(11))
    assert (levels.get(Oid("a")) is None, levels.get(Oid("b")) is None) == (True, False)
    levels.put(Oid("c"), _make_level(10))
    assert levels.get(Oid("c")) is not None
