"""What several texts have in common, found by what stands in each of them once.

The way of patience diff (Bram Cohen): the most of such items that stand in the same order, and what is
alike around them. The cost follows the texts' length, however many lines are blank.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

Item = TypeVar("Item", bytes, str, int)


class Run(NamedTuple):
    """Items that are the same in all texts: where they begin in each, and how many they are."""

    starts: tuple[int, ...]
    length: int


def runs(texts: Sequence[Sequence[Item]]) -> Iterator[Run]:
    """What all texts have in common, in order; of what moved, it stays where most stays."""
    places = [_once(text) for text in texts]
    shared = [item for item in places[0] if all(item in place for place in places)]
    for place in places[1:]:
        stays = longest_run(place[item] for item in shared)
        shared = [item for item in shared if place[item] in stays]
    ends = (0,) * len(texts)
    for item in shared:
        at = tuple(place[item] for place in places)
        if at[0] < ends[0]:
            continue
        above = _alike(texts, at, ends)
        starts = tuple(one - above for one in at)
        length = above + _below(texts, at)
        ends = tuple(start + length for start in starts)
        yield Run(starts, length)


def alike(old: Sequence[Item], new: Sequence[Item]) -> int:
    """How many items are the same at the beginning: by ever larger steps, and then by smaller ones."""
    at, step, most = 0, 1, min(len(old), len(new))
    while step:
        if at + step <= most and old[at : at + step] == new[at : at + step]:
            at, step = at + step, step * 2
        else:
            step //= 2
    return at


def longest_run(numbers: Iterable[int]) -> set[int]:
    """The most of some different numbers that ascend (by patience sorting)."""
    tops: list[int] = []
    below: dict[int, int | None] = {}
    for number in numbers:
        at = bisect_left(tops, number)
        below[number] = tops[at - 1] if at else None
        tops[at : at + 1] = [number]
    found: set[int] = set()
    top = tops[-1] if tops else None
    while top is not None:
        found.add(top)
        top = below[top]
    return found


def _once(items: Sequence[Item]) -> dict[Item, int]:
    counts = Counter(items)
    return {item: at for at, item in enumerate(items) if counts[item] == 1}


def _alike(texts: Sequence[Sequence[Item]], at: tuple[int, ...], ends: tuple[int, ...]) -> int:
    """How many items right above ``at`` are the same, down from ``ends``."""
    most, count = min(a - e for a, e in zip(at, ends, strict=True)), 0
    while count < most and len({text[a - count - 1] for text, a in zip(texts, at, strict=True)}) == 1:
        count += 1
    return count


def _below(texts: Sequence[Sequence[Item]], at: tuple[int, ...]) -> int:
    """How many items from ``at`` on are the same."""
    most, count = min(len(text) - a for text, a in zip(texts, at, strict=True)), 1
    while count < most and len({text[a + count] for text, a in zip(texts, at, strict=True)}) == 1:
        count += 1
    return count
