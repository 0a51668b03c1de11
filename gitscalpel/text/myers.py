"""The shortest way from one sequence to another, found from both of its ends at once.

The way of Myers (An O(ND) Difference Algorithm and Its Variations, 1986) in linear space; the result is that
of git's xdiff. Only where that would take seconds here, the rest is parted by what stands once, and searched
roughly, in linear time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitscalpel.text.common import runs
from gitscalpel.text.middle import Box, Reach, Split

STEPS = 1_000_000
"""So often it is looked how far one gets, until the search becomes a rough one."""
SHORT = 16
"""Edits that a rough search looks ahead."""
Spans = list[tuple[int, int]]


def changed(old: Sequence[int], new: Sequence[int]) -> tuple[Spans, Spans]:
    """Which items of each have no partner in the other, as ranges in no certain order."""
    reach = Reach(old, new)
    gone: Spans = []
    come: Spans = []
    waiting = [Box(0, len(old), 0, len(new))]
    while waiting:
        if reach.steps > STEPS and reach.longest > SHORT:
            reach.longest = SHORT
            waiting = [part for box in waiting for part in _anchored(box, old, new)]
        box = _shrunk(waiting.pop(), old, new)
        if box.left == box.right:
            come.append((box.top, box.bottom))
        elif box.top == box.bottom:
            gone.append((box.left, box.right))
        else:
            waiting += Split(reach, box).found()
    return gone, come


def _anchored(box: Box, old: Sequence[int], new: Sequence[int]) -> Iterator[Box]:
    """What lies between the items that stand once in either of both."""
    left, right, top, bottom, exact = box
    found = runs((old[left:right], new[top:bottom])) if not exact else ()
    for (x, y), length in found:
        yield Box(left, box.left + x, top, box.top + y)
        left, top = box.left + x + length, box.top + y + length
    yield Box(left, right, top, bottom, exact)


def _shrunk(box: Box, old: Sequence[int], new: Sequence[int]) -> Box:
    """The box without what is the same at its beginning and at its end."""
    left, right, top, bottom, exact = box
    while left < right and top < bottom and old[left] == new[top]:
        left, top = left + 1, top + 1
    while left < right and top < bottom and old[right - 1] == new[bottom - 1]:
        right, bottom = right - 1, bottom - 1
    return Box(left, right, top, bottom, exact)
