"""What a placeholder in new text stands for: the old lines between its neighbours, or nothing certain.

A neighbour is a member of the definition around it, told by its name, or a line, which must stand in
the replaced text once. New members beside it say nothing of what was there and are passed over.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from gitscalpel.edit.source import Source
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text import elision
from gitscalpel.text.indent import indent
from gitscalpel.text.splice import Splice

_SAYS = re.compile(rb"\w")


class _Around(NamedTuple):
    """The definition around a placeholder, as it was and as it is to be."""

    was: Symbol
    now: Symbol


class Meant(NamedTuple):
    """The old lines ``[first, end)``, and from which new line on the new text goes on behind them."""

    first: int
    end: int
    onward: int


class Neighbours:
    """One splice: the lines that go and those that come, and the members to which they belong.

    Args:
        made: the splice.
        begin: where its text stands in the file after the edit.
        source: the file before it.
        after: and after it, placeholders and all.
    """

    def __init__(self, made: Splice, begin: int, source: Source, after: Source) -> None:
        self.start, self.begin = made.start, begin
        self.before, self.after = source.text, after.text
        self.old, self.new = (text.split(b"\n") for text in (source.text[made.start : made.end], made.new))
        self.outlines = source.judged, after.judged

    def stands_for(self, mark: int, marks: Sequence[int]) -> Meant | None:
        """The old lines that the new line ``mark`` stands for; None where that is in doubt.

        Args:
            mark: a line of the new text, from 0.
            marks: all lines of it that stand for others.
        """
        around = self._around(mark)
        first, above = self._first(mark, max((other for other in marks if other < mark), default=-1), around)
        end, below, leads = self._end(
            mark, min((other for other in marks if other > mark), default=len(self.new)), around
        )
        by_lines = above or below
        if first is None or end is None or not 0 <= first < end <= len(self.old):
            return None  # one that stands for nothing is in doubt, too: its neighbours may have moved
        if around is not None and self._are_told_again(first, end, around):
            return None
        if by_lines and self._are_lines_told_again(first, end):
            return None
        # Where the new text has blank lines beside the placeholder, they are those that were there.
        while first < end and not self.old[first].strip() and self._is_blank(mark - 1):
            first += 1
        while first < end and not self.old[end - 1].strip() and self._is_blank(mark + 1):
            end -= 1
        onward = mark + 1
        while leads and self._is_blank(onward):
            onward += 1  # what is put back above a member stands directly above it
        return Meant(first, end, onward)

    def _is_blank(self, row: int) -> bool:
        return 0 <= row < len(self.new) and not self.new[row].strip()

    def _around(self, mark: int) -> _Around | None:
        """The innermost definition in which a new line stands, if there was one of its path."""
        was, now = self.outlines
        if was is None or now is None:
            return None
        at = self.begin + sum(len(line) + 1 for line in self.new[:mark])
        holding = [s for s in now.walk() if s.start < at and s.header_end <= at + len(self.new[mark])]
        holding = [s for s in holding if at < s.end or self._goes_on(s, at, self.new[mark])]
        twins = [
            s for s in was.walk() if holding and s.path == holding[-1].path and s.kind == holding[-1].kind
        ]
        return _Around(twins[0], holding[-1]) if len(twins) == 1 else None

    def _goes_on(self, symbol: Symbol, at: int, line: bytes) -> bool:
        """Whether a comment at ``at`` is the end of a block that nothing but indentation ends."""
        header = self.after[self.after.rfind(b"\n", 0, symbol.start) + 1 :]
        return not self.after[symbol.end : at].strip() and len(indent(line)) > len(indent(header))

    def _first(self, mark: int, last: int, around: _Around | None) -> tuple[int | None, bool]:
        """The line that follows its neighbour above, which stands below the new line ``last``.

        With it comes whether the neighbour is told by its text alone.
        """
        row = mark - 1
        while row > last:
            member = self._member(row, around)
            if member is not None and (known := _known(member, around)):
                return self._old_row(known.end - 1) + 1, False
            if member is None and self.new[row].strip():
                break
            row = (self._new_row(member.outer) if member else row) - 1  # new, or blank
        else:
            return (0 if last < 0 else None), False
        if around is not None:
            was, now = around
            if self._new_row(now.start) <= row <= self._new_row(_opened(now, self.after)):
                return self._old_row(_opened(was, self.before)) + 1, False
        return elision.after(self.new[last + 1 : row + 1], self.old), True

    def _end(self, mark: int, following: int, around: _Around | None) -> tuple[int | None, bool, bool]:
        """The line of its neighbour below, which stands above the new line ``following``; likewise.

        With it comes also whether what stands above that line leads the neighbour, and is left out.
        """
        row = mark + 1
        while row < following:
            member = self._member(row, around)
            if member is not None and (known := _known(member, around)):
                shown = self._shown_from(row, member, known)
                return shown, False, shown > self._old_row(known.outer)
            if member is None and self.new[row].strip():
                break
            row = (self._new_row(member.end - 1) if member else row) + 1
        else:
            return (len(self.old) if following == len(self.new) else None), False, False
        return elision.before(self.new[row:following], self.old), True, False

    def _shown_from(self, row: int, now: Symbol, was: Symbol) -> int:
        """The old line from which on the new text shows a member, whose first line there is ``row``."""
        decorators = now.lead.decorators
        if row >= self._new_row(now.start):
            return self._old_row(was.start)
        if decorators is not None and row >= self._new_row(decorators.start):
            return self._old_row(was.lead.decorators.start if was.lead.decorators else was.start)
        return self._old_row(was.outer)

    def _member(self, row: int, around: _Around | None) -> Symbol | None:
        """The member to which a new line belongs, of the definition around the placeholder.

        One that is no member of old though its first line is, is taken for lines.
        """
        members = around.now.children if around else []
        inside = (s for s in members if self._new_row(s.outer) <= row <= self._new_row(s.end - 1))
        found = next((s for s in inside if not s.local and s.index is None), None)
        if found is None or _known(found, around) is not None:
            return found
        begins = self.new[max(0, self._new_row(found.start))].strip()
        return None if any(line.strip() == begins for line in self.old) else found

    def _are_lines_told_again(self, first: int, end: int) -> bool:
        """Whether a line that the old text holds once is among those meant and in the new text as well."""
        told = {line.strip() for line in self.new}
        once = Counter(line.strip() for line in self.old)
        meant = (line.strip() for line in self.old[first:end])
        return any(line in told and once[line] == 1 and _SAYS.search(line) for line in meant)

    def _are_told_again(self, first: int, end: int, around: _Around) -> bool:
        """Whether members in the old lines stand in the new ones as well."""
        told = {(s.segments, s.kind) for s in around.now.children if not s.shared}
        inside = (s for s in around.was.children if first <= self._old_row(s.start) < end)
        return any((s.segments, s.kind) in told for s in inside)

    def _old_row(self, at: int) -> int:
        return _rows(self.before, self.start, at)

    def _new_row(self, at: int) -> int:
        return _rows(self.after, self.begin, at)


def _opened(symbol: Symbol, text: bytes) -> int:
    """The last byte of a header, or the bracket behind it."""
    if text[symbol.header_end : symbol.header_end + 1] == b"{":
        return symbol.header_end
    return symbol.start + max(1, len(text[symbol.start : symbol.header_end].rstrip())) - 1


def _known(member: Symbol, around: _Around | None) -> Symbol | None:
    """What a member was, if it alone has its name and kind."""
    sides = [
        [s for s in side.children if s.segments == member.segments and s.kind == member.kind]
        for side in around or ()
    ]
    return sides[0][0] if [len(side) for side in sides] == [1, 1] else None


def _rows(text: bytes, start: int, at: int) -> int:
    """How many lines below ``start`` the position ``at`` is; negative above it."""
    return text.count(b"\n", start, at) if at >= start else -text.count(b"\n", at, start)
