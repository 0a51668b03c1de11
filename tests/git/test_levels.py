"""What is kept of trees is bounded, and what was used last stays."""

from __future__ import annotations

from gitscalpel.changesets.file_tree import REGULAR, Entry, Oid
from gitscalpel.git.objects import LevelCache


def _level(rows: int) -> dict[str, Entry]:
    return {str(n): Entry(REGULAR, Oid("0" * 40)) for n in range(rows)}


def test_what_was_used_longest_ago_goes_first() -> None:
    levels = LevelCache(rows=10, fewest=1)
    for name in "abc":
        levels.put(Oid(name), _level(4))
        levels.get(Oid("a"))
    assert [levels.get(Oid(name)) is not None for name in "abc"] == [True, False, True]


def test_the_same_tree_counts_once_and_one_too_large_is_kept_alone() -> None:
    levels = LevelCache(rows=10, fewest=1)
    for _ in range(9):
        levels.put(Oid("a"), _level(4))
    assert levels.get(Oid("a")) is not None
    levels.put(Oid("b"), _level(11))
    assert (levels.get(Oid("a")) is None, levels.get(Oid("b")) is None) == (True, False)
    levels.put(Oid("c"), _level(10))
    assert levels.get(Oid("c")) is not None
