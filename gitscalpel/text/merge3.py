"""Three-way merge of sequences: the changed regions, and the items that both sides changed alike.

The algorithm is diff3 (Khanna, Kunal and Pierce, A Formal Investigation of Diff3, 2007), with git's rule
that changes that touch each other are one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import msgspec

from gitscalpel.text.line_diff import Range, diff_items


class DiffRegion(msgspec.Struct, frozen=True):
    """A changed region: items ``[first, last)`` of each sequence, and the side that changed them."""

    base: tuple[int, int]
    ours: tuple[int, int]
    theirs: tuple[int, int]
    by: str


Item = TypeVar("Item", bytes, str)
# Returns the replacement of a region that both sides changed differently, or None.
Resolve = Callable[[Sequence[bytes], Sequence[bytes], Sequence[bytes]], Sequence[bytes] | None]


def iter_regions(base: Sequence[Item], ours: Sequence[Item], theirs: Sequence[Item]) -> Iterator[DiffRegion]:
    """Yield the regions in which ``ours`` or ``theirs`` differs from ``base``, in order."""
    waiting = diff_items(base, ours), diff_items(base, theirs)
    shifts = [0, 0]
    while any(waiting):
        start = end = min(queue[0][0] for queue in waiting if queue)
        changes: tuple[list[Range], list[Range]] = [], []
        while any(queue and queue[0][0] <= end for queue in waiting):
            for queue, side_changes in zip(waiting, changes, strict=True):
                while queue and queue[0][0] <= end:
                    side_changes.append(queue.pop(0))
                    end = max(end, side_changes[-1][1])
        sides = []
        for number, side_changes in enumerate(changes):
            first = start + shifts[number]
            shifts[number] += sum((d - c) - (b - a) for a, b, c, d in side_changes)
            sides.append((first, end + shifts[number]))
        by = "both" if all(changes) else "ours" if changes[0] else "theirs"
        yield DiffRegion((start, end), sides[0], sides[1], by)


def merge_values(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Return the version changed by one side or by both alike, or None if they changed it differently."""
    if theirs in (ours, base):
        return ours
    return theirs if ours == base else None


def merge_items(
    base: Sequence[bytes], ours: Sequence[bytes], theirs: Sequence[bytes], resolve: Resolve
) -> bytes | None:
    """Merge item by item, or return None if ``resolve`` cannot merge a region."""
    pieces: list[bytes] = []
    at = 0
    for region in iter_regions(base, ours, theirs):
        pieces += base[at : region.base[0]]
        at = region.base[1]
        old, left, right = base[slice(*region.base)], ours[slice(*region.ours)], theirs[slice(*region.theirs)]
        if region.by != "both" or list(left) == list(right):
            pieces += right if region.by == "theirs" else left
            continue
        resolved = resolve(old, left, right)
        if resolved is None:
            return None
        pieces += resolved
    return b"".join([*pieces, *base[at:]])


def merge_lines(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Merge texts by lines as git does, or return None if the changes conflict."""
    merged = merge_values(base, ours, theirs)
    if merged is not None:
        return merged
    return merge_items(split_lines(base), split_lines(ours), split_lines(theirs), lambda *_: None)


def split_lines(text: bytes) -> list[bytes]:
    lines = text.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
