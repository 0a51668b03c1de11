"""Where a group of changed lines stands, of the places that it may be moved to without a word changed.

Of ``}`` and a blank line that are added below the same, either pair may be the new one. As git does it,
groups are joined where they can be, put beside what changed in the other text, or else where their
indentation makes the hunk read best (git's indent heuristic, with git's weights).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

_MOST = 100
"""Lines up to which a group is moved to where it reads best."""
_DEEP, _BLANKS = 200, 20
_TAB = 8


class Side:
    """One of both texts, and a group of lines of it that changed: ``[start, end)``, maybe none.

    Groups are counted by the unchanged lines before them, which are as many in the other text.
    """

    def __init__(self, lines: Sequence[object], changed: bytearray) -> None:
        """``changed`` has a 1 for each changed line, and a 0 behind the last."""
        self.lines, self.changed = lines, changed
        self.start, self.end = 0, changed.index(0)

    def skip(self, unchanged: int) -> None:
        """Go on to the group behind so many more unchanged lines."""
        at = self.end
        while True:
            next_one = self.changed.find(1, at)
            if next_one < 0 or next_one - at >= unchanged:
                break
            unchanged -= next_one - at
            at = self.changed.index(0, next_one)
        self.start = at + unchanged
        self.end = self.changed.index(0, self.start)

    def previous(self) -> None:
        """Go back to the group before the unchanged line above."""
        self.end = self.start - 1
        self.start = self.changed.rfind(0, 0, self.end) + 1

    def up(self) -> bool:
        """Move the group up by a line, and join it with the one that it meets, if that changes nothing."""
        if not self.start or self.lines[self.start - 1] != self.lines[self.end - 1]:
            return False
        self.start, self.end = self.start - 1, self.end - 1
        self.changed[self.start], self.changed[self.end] = 1, 0
        self.start = self.changed.rfind(0, 0, self.start) + 1
        return True

    def down(self) -> bool:
        """Move the group down by a line, likewise."""
        if self.end >= len(self.lines) or self.lines[self.start] != self.lines[self.end]:
            return False
        self.changed[self.start], self.changed[self.end] = 0, 1
        self.start, self.end = self.start + 1, self.changed.index(0, self.end)
        return True


def settle(side: Side, other: Side, lines: Sequence[bytes] | None) -> None:
    """Put every group of ``side`` in its place.

    Args:
        side: the groups of it are moved.
        other: the other text, whose groups stay.
        lines: the text of the side's lines, by which it is told what reads best; None: it does not matter,
            and groups go down as far as they can.
    """
    while True:
        if side.start < side.end:
            _settled(side, other, lines)
        at = side.changed.find(1, side.end)
        if at < 0:
            return
        other.skip(at - side.end)
        side.skip(at - side.end)


def _settled(side: Side, other: Side, lines: Sequence[bytes] | None) -> None:
    while True:
        size = side.end - side.start
        while side.up():
            other.previous()
        highest = side.end
        beside = other.start < other.end
        while side.down():
            other.skip(1)
            beside |= other.start < other.end
        if side.end - side.start == size:
            break
    if side.end == highest:
        return
    if beside:
        while other.start == other.end and side.up():
            other.previous()
    elif lines is not None:
        best = _best(lines, side.end, size, max(highest, side.end - size - 1, side.end - _MOST))
        while side.end > best and side.up():
            other.previous()


def _best(lines: Sequence[bytes], lowest: int, size: int, highest: int) -> int:
    """The end of a group of ``size`` lines, from ``highest`` to ``lowest``, with which it reads best."""
    best, found = lowest, None
    for end in range(highest, lowest + 1):
        below, above = _split(lines, end), _split(lines, end - size)
        score = _Score(below.indent + above.indent, below.penalty + above.penalty)
        if found is None or not score.is_worse(found):
            best, found = end, score
    return best


class _Score(msgspec.Struct, frozen=True):
    """How badly a text is parted in one place."""

    indent: int
    penalty: int

    def is_worse(self, other: _Score) -> bool:
        """Deeper is worse, unless there is much to be said against the other."""
        deeper = (self.indent > other.indent) - (self.indent < other.indent)
        return 60 * deeper + self.penalty - other.penalty > 0


def _split(lines: Sequence[bytes], at: int) -> _Score:
    """What is to be said against a border above line ``at``, from 0."""
    indent = _indent(lines[at]) if at < len(lines) else None
    above, before = _beside(lines, range(at - 1, -1, -1))
    below, after = _beside(lines, range(at + 1, len(lines)))
    penalty = (before is None and not above) + 21 * (at >= len(lines))
    following = 0
    if indent is None:
        indent = after
        following = below + 1
    blanks = above + following
    penalty += 6 * following - 30 * blanks
    if indent is None:
        return _Score(-1, penalty)
    if before is not None and indent != before:
        penalty += _step(indent, before, after, bool(blanks))
    return _Score(indent, penalty)


def _step(indent: int, before: int, after: int | None, blank: bool) -> int:
    """What is to be said against a border where the indentation changes."""
    if indent > before:
        return 10 if blank else -4
    if after is not None and after > indent:
        return 17 if blank else 24
    return 17 if blank else 23


def _beside(lines: Sequence[bytes], numbers: range) -> tuple[int, int | None]:
    """How many blank lines come first, and how deep the line behind them is; None: there is none."""
    for blanks, number in enumerate(numbers):
        indent = _indent(lines[number])
        if indent is not None:
            return blanks, indent
        if blanks + 1 == _BLANKS:
            return _BLANKS, 0
    return len(numbers), None


def _indent(line: bytes) -> int | None:
    """How deep a line is, with tabs of 8; None: it is blank."""
    columns = 0
    for byte in line:
        if byte == 0x20:
            columns += 1
        elif byte == 0x09:
            columns += _TAB - columns % _TAB
        elif byte not in b"\r\n":
            return columns
        if columns >= _DEEP:
            return _DEEP
    return None
