"""Which lines of a text became which of another, as ``git diff`` says it.

Lines that stand in one text only are set aside, and so are those that stand everywhere, between such; of
the rest Myers finds the shortest way (``myers.py``), and each group of changed lines is put where it reads
best (``slide.py``). This is what git does by default (``diff.algorithm`` is myers, ``diff.indentHeuristic``
on), and the hunks are its own, but for long texts of which hardly a line has stayed in its place: after about
a second the search becomes a rough one (``myers.STEPS``), which says of more lines than git: changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, count
from typing import TypeVar

from gitscalpel.text import myers
from gitscalpel.text.common import alike
from gitscalpel.text.middle import root
from gitscalpel.text.slide import Side, settle

Item = TypeVar("Item", bytes, str)
Range = tuple[int, int, int, int]
_OFTEN = 1024
"""So often a line stands everywhere, also in a long text; else it is the square root of its length."""
_NEAR = 100
"""Lines in which it is looked what stands around one that stands everywhere."""
_AMONG = 4
"""How many lines without a partner there have to be to each that stands everywhere."""
_NONE, _SOME, _MANY = 0, 1, 2
"""How often a line stands in the other text."""
_BETWEEN_LOST = re.compile(rb"\x00[\x00\x02]*\x00")
_SWAPPED = bytes([1, 0, *range(2, 256)])


def changes(old: Sequence[bytes], new: Sequence[bytes]) -> list[Range]:
    """Which lines ``[a, b)`` of ``old`` became ``[c, d)`` of ``new``, in order, as git has it by default."""
    return _settled(old, new, old, new)


def edits(old: Sequence[Item], new: Sequence[Item]) -> list[Range]:
    """The same of any items; what may stand in several places is put as far down as it can, as git merges."""
    return _settled(old, new, None, None)


def shift(old: Sequence[bytes], new: Sequence[bytes], start: int, end: int) -> int | None:
    """By how much the lines ``[start, end)`` of ``old``, counted from 0, moved.

    None if they changed, or if they may be in either of two places: where a diff puts them whose changes
    stand as far down as they can, and one whose changes stand as far up.
    """
    m, n = len(old), len(new)
    downward = edits(old, new)
    upward = [(m - b, m - a, n - d, n - c) for a, b, c, d in edits(old[::-1], new[::-1])]
    found = {_shifted(ranges, start, end) for ranges in (downward, upward[::-1])} - {None}
    return found.pop() if len(found) == 1 else None


def _shifted(ranges: Iterable[Range], start: int, end: int) -> int | None:
    moved = 0
    for a, b, c, d in ranges:
        if b <= start:
            moved += (d - c) - (b - a)
        elif a < end:
            return None
    return moved


def _settled(
    old: Sequence[Item],
    new: Sequence[Item],
    old_lines: Sequence[bytes] | None,
    new_lines: Sequence[bytes] | None,
) -> list[Range]:
    gone, come = _changed(old, new)
    settle(Side(old, gone), Side(new, come), old_lines)
    settle(Side(new, come), Side(old, gone), new_lines)
    return list(_ranges(gone, come))


def _changed(old: Sequence[Item], new: Sequence[Item]) -> tuple[bytearray, bytearray]:
    """A 1 for each item of either that has no partner in the other, and a 0 at the end."""
    head = alike(old, new)
    tail = alike(old[head:][::-1], new[head:][::-1])
    left: Sequence[Item] = old[head : len(old) - tail]
    right: Sequence[Item] = new[head : len(new) - tail]
    lefts, rights = _partnered(left, old, new), _partnered(right, new, old)
    numbers: dict[Item, int] = dict(zip(set(left).union(right), count(), strict=False))
    gone, come = myers.changed(
        [numbers[item] for item in compress(left, lefts)], [numbers[item] for item in compress(right, rights)]
    )
    ends = b"\0" * head, b"\0" * (tail + 1)
    return _marked(ends, lefts, gone), _marked(ends, rights, come)


def _marked(ends: tuple[bytes, bytes], partnered: bytes, changed: Iterable[tuple[int, int]]) -> bytearray:
    """The marks of a text: what has no partner, and of the rest what is ``changed``."""
    places = [number for number, is_kept in enumerate(partnered) if is_kept]
    marks = bytearray(partnered.translate(_SWAPPED))
    for first, last in changed:
        for number in range(first, last):
            marks[places[number]] = 1
    return bytearray(ends[0]) + marks + ends[1]


def _partnered(part: Sequence[Item], own: Sequence[Item], other: Sequence[Item]) -> bytes:
    """A 1 for each item of a ``part`` of its ``own`` text that may have a partner in the ``other``."""
    items = set(part)
    counts = Counter(filter(items.__contains__, other))
    many = min(root(len(own)), _OFTEN)
    kind_of = {item: _NONE if not (n := counts[item]) else _MANY if n >= many else _SOME for item in items}
    kinds = bytes(map(kind_of.__getitem__, part))
    kept = bytearray(kinds.replace(b"\x02", b"\x01"))
    for among in _BETWEEN_LOST.finditer(kinds):
        for at in range(*among.span()):
            if kinds[at] == _MANY and _is_lost(kinds, at):
                kept[at] = 0
    return bytes(kept)


def _is_lost(kinds: bytes, at: int) -> bool:
    """Whether what stands everywhere stands here among lines without a partner."""
    first = max(0, at - _NEAR, kinds.rfind(_SOME, 0, at) + 1)
    last = kinds.find(_SOME, at, at + _NEAR + 1)
    last = min(len(kinds), at + _NEAR + 1) if last < 0 else last
    above, below = kinds.count(_NONE, first, at), kinds.count(_NONE, at + 1, last)
    many = last - first + 1 - above - below
    return above > 0 and below > 0 and many * _AMONG < many + above + below


def _ranges(gone: bytearray, come: bytearray) -> Iterator[Range]:
    a = c = 0
    while True:
        b, d = gone.find(1, a), come.find(1, c)
        if b < 0 and d < 0:
            return
        same = min(b - a if b >= 0 else len(gone), d - c if d >= 0 else len(come))
        a, c = a + same, c + same
        b, d = gone.index(0, a), come.index(0, c)
        yield a, b, c, d
        a, c = b, d
