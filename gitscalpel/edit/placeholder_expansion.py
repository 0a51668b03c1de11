"""Replace placeholders in new code, such as ``# ... existing code ...``, by the old lines they omit.

A placeholder is replaced by the lines between its neighbours. A neighbour is a member of the enclosing
definition, identified by its name, or a line that occurs exactly once in the replaced text. New members next
to a placeholder show nothing about the old text and are skipped. A placeholder that cannot be replaced with
certainty is refused, so no such comment is ever written to a file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NoReturn

import msgspec

from gitscalpel.edit.source import Edit, Source
from gitscalpel.errors import DoesNotFit, ScalpelError
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text import indentation, line_endings, placeholders
from gitscalpel.text.indentation import indent_of
from gitscalpel.text.splice import Splice, find_results

# Codes of errors that a placeholder in the code may have caused.
_OF_SHAPE = frozenset(
    {"body_only", "syntax_error", "kind_mismatch", "name_mismatch", "extra_definitions", "duplicate_symbol"}
)


def expand_placeholders(edit: Edit, source: Source) -> Edit:
    """Replace the placeholders in an edit by the old lines, or raise ``elided`` if these are uncertain."""
    marked = [_find_marks(made.new, source.text[made.start : made.end], source) for made in edit.splices]
    if not any(marked):
        return edit

    after = source.with_edit(edit)
    splices, notes = [], []
    for made, marks, (begin, _) in zip(edit.splices, marked, find_results(edit.splices), strict=True):
        neighbours = Neighbours(made, begin, source, after, marks)
        pieces, at = [], 0
        for mark in marks:
            first, end = neighbours.stands_for(mark) or _raise_elided(neighbours.new[mark])
            pieces += [*neighbours.new[at:mark], *neighbours.old[first:end]]
            at = mark + 1
            lines = "1 line" if end - first == 1 else f"{end - first} lines"
            notes.append(f"put {lines} of the file in the place of {_show_line(neighbours.new[mark])}")
        text = b"\n".join([*pieces, *neighbours.new[at:]])
        splices.append(
            line_endings.make_splice(source.document, made.start, made.end, text) if marks else made
        )
    return msgspec.structs.replace(
        edit,
        splices=tuple(splices),
        corrections=(*edit.corrections, *notes),
        inserted=None if edit.inserted is None else tuple(made.new for made in splices),
    )


def placeholder_error(error: ScalpelError, code: str, source: Source) -> ScalpelError:
    """Return the error for code whose shape was refused because of its placeholders, else ``error``."""
    lines = code.encode("utf-8", "surrogateescape").split(b"\n")
    known = {line.strip() for line in source.text.split(b"\n")}
    marks = [line for line in lines if _is_mark(line, source) and line.strip() not in known]
    return _elided_error(marks[0]) if marks and error.code in _OF_SHAPE else error


def require_whole_content(path: str, old: bytes, new: bytes) -> None:
    """Raise ``elided`` if the new content of a whole file omits old content by placeholders."""
    if old:
        source = Source.read(path, new)
        for mark in _find_marks(source.text, old, source):
            _raise_elided(source.text.split(b"\n")[mark])


def _is_mark(line: bytes, source: Source) -> bool:
    return placeholders.is_placeholder(
        line, prose=source.language is not None and source.rules.blocks == "prose"
    )


def _find_marks(new: bytes, old: bytes, source: Source) -> list[int]:
    """Return the indices of placeholder lines; one that the old text contains is content."""
    if b"..." not in new and b"\xe2\x80\xa6" not in new and not placeholders.has_elision_words(new):
        return []
    known = {line.strip() for line in old.split(b"\n")}
    return [
        row
        for row, line in enumerate(new.split(b"\n"))
        if _is_mark(line, source)
        and line.strip() not in known
        and (old.strip() or placeholders.has_elision_words(line))
    ]


def _show_line(line: bytes) -> str:
    return line.strip().decode("utf-8", "replace")


def _raise_elided(line: bytes) -> NoReturn:
    raise _elided_error(line)


def _elided_error(line: bytes) -> DoesNotFit:
    return DoesNotFit(
        "elided",
        f"{_show_line(line)!r} stands for text that is left out, and it is not certain which",
        "send the whole text; or keep, next to the comment, lines that occur once in the replaced text; "
        "or change only a part, with text, lines or signature",
        placeholder=_show_line(line),
    )


_SAYS = re.compile(rb"\w")


class _Member(msgspec.Struct, frozen=True):
    """A member by rows of the old or new text: start of its leading trivia, own start, and last row."""

    symbol: Symbol
    first: int
    own: int
    last: int

    @property
    def body(self) -> range:
        """The rows below the first one of its own text."""
        return range(self.own + 1, self.last + 1)


class _EnclosingPair(msgspec.Struct, frozen=True):
    was: Symbol
    now: Symbol
    before: tuple[_Member, ...]
    after: tuple[_Member, ...]

    def find_old(self, member: _Member) -> _Member | None:
        same = [
            [
                m
                for m in side
                if (m.symbol.segments, m.symbol.kind) == (member.symbol.segments, member.symbol.kind)
            ]
            for side in (self.before, self.after)
        ]
        return same[0][0] if [len(side) for side in same] == [1, 1] else None


class Neighbours:
    """The old and new lines of one splice, and the members to which they belong.

    Args:
        made: the splice.
        begin: offset of the new text in the file after the edit.
        source: the file before the edit.
        after: the file after the edit, with placeholders.
        marks: placeholder lines of the new text, from 0.
    """

    def __init__(self, made: Splice, begin: int, source: Source, after: Source, marks: Sequence[int]) -> None:
        self.start, self.begin, self.marks = made.start, begin, marks
        self.before, self.after = source.text, after.text
        self.old, self.new = (
            [line.removesuffix(b"\r") for line in text.split(b"\n")]
            for text in (source.text[made.start : made.end], made.new)
        )
        data = source.language is None or source.rules.data  # whose names say little
        self.outlines = (None, None) if data else (source.judged, after.judged)

    def stands_for(self, mark: int) -> tuple[int, int] | None:
        """Return the old lines ``[first, end)`` that a placeholder omits, or None if uncertain."""
        around = self._find_enclosing(mark)
        first = self._first_omitted(
            mark, max((other for other in self.marks if other < mark), default=-1), around
        )
        end = self._omitted_end(
            mark, min((other for other in self.marks if other > mark), default=len(self.new)), around
        )
        if first is None or end is None or not 0 <= first < end <= len(self.old):
            return None  # one that stands for nothing is in doubt, too: its neighbours may have moved
        if self._is_repeated(range(first, end), around):
            return None
        # Where the new text has blank lines beside the placeholder, they are those that were there.
        while first < end and not self.old[first].strip() and self._is_blank(mark - 1):
            first += 1
        while first < end and not self.old[end - 1].strip() and self._is_blank(mark + 1):
            end -= 1
        return first, end

    def _is_blank(self, row: int) -> bool:
        return 0 <= row < len(self.new) and not self.new[row].strip()

    def _find_enclosing(self, mark: int) -> _EnclosingPair | None:
        """Return the innermost definition around a new line that existed before by path."""
        was, now = self.outlines
        if was is None or now is None:
            return None
        at = self.begin + len(b"\n".join([*self.after[self.begin :].split(b"\n")[:mark], b""]))
        line = self.new[mark]
        holding = [s for s in now.walk() if s.start < at and s.header_end <= at + len(line)]
        holding = [s for s in holding if at < s.end or self._is_block_end(s, at, line)]
        if not holding:
            return None
        inner = holding[-1]
        twins = [s for s in was.walk() if s.path == inner.path and s.kind == inner.kind]
        if len(twins) != 1:
            return None
        before = tuple(_iter_members(twins[0].children, self.before, self.start))
        after = tuple(_iter_members(inner.children, self.after, self.begin, self.marks))
        return _EnclosingPair(twins[0], inner, before, after)

    def _is_block_end(self, symbol: Symbol, at: int, line: bytes) -> bool:
        """Return True if a comment at ``at`` may end a block that only indentation ends."""
        header = self.after[self.after.rfind(b"\n", 0, symbol.start) + 1 :]
        return not self.after[symbol.end : at].strip() and len(indent_of(line)) > len(indent_of(header))

    def _first_omitted(self, mark: int, last: int, around: _EnclosingPair | None) -> int | None:
        """Return the old line after the neighbour above, which is below the new line ``last``."""
        row = mark - 1
        while row > last:
            member = self._find_member(row, around)
            if around and member and (known := around.find_old(member)):
                return known.last + 1
            if member is None and self.new[row].strip():
                break
            row = (member.first if member else row) - 1  # new, or blank
        else:
            return 0 if last < 0 else None
        begins, was = last + 1, 0
        if around is not None:
            opened = _row_of(self.after, self.begin, _find_header_end(around.now, self.after))
            was = _row_of(self.before, self.start, _find_header_end(around.was, self.before)) + 1
            if _row_of(self.after, self.begin, around.now.start) <= row <= opened:
                return was
            begins = max(begins, opened + 1)
        found = placeholders.find_line_after(self.new[last + 1 : row + 1], self.old)
        return found if found is not None and self._is_as_deep(begins, row, max(0, was), found) else None

    def _is_as_deep(self, begins: int, row: int, was: int, found: int) -> bool:
        """Return True if the neighbour above, the new line ``row``, is in the same blocks as before.

        In a block that begins differently it may be a new line that only looks like an old one.

        Args:
            begins: the first relevant new line.
            row: the neighbour.
            was: the first relevant old line.
            found: the old line below the neighbour.
        """
        stood = max((n for n in range(was, found) if self.old[n].strip()), default=None)
        if stood is None:
            return True
        now = list(indentation.enclosing_headers(self.new[begins : row + 1], row - begins))
        return now == list(indentation.enclosing_headers(self.old[was : stood + 1], stood - was))[: len(now)]

    def _omitted_end(self, mark: int, following: int, around: _EnclosingPair | None) -> int | None:
        """Return the old line of the neighbour below, which is above the new line ``following``."""
        row = mark + 1
        while row < following:
            member = self._find_member(row, around)
            if around and member and (known := around.find_old(member)):
                return self._member_start(member, known)
            if member is None and self.new[row].strip():
                break
            row = (member.last if member else row) + 1
        else:
            return len(self.old) if following == len(self.new) else None
        return placeholders.find_line_before(self.new[row:following], self.old)

    def _member_start(self, member: _Member, known: _Member) -> int | None:
        """Return the old start of a member, with or without its trivia; None if the trivia differ."""
        if member.first == member.own:
            return known.own
        same = known.first >= 0 and self.new[member.first].strip() == self.old[known.first].strip()
        return known.first if same else None

    def _find_member(self, row: int, around: _EnclosingPair | None) -> _Member | None:
        """Return the member, of the definition around the placeholder, that contains a new line.

        A member that is new although its first line is old counts as plain lines.
        """
        members = around.after if around else ()
        found = next((member for member in members if member.first <= row <= member.last), None)
        if around is None or found is None or around.find_old(found) is not None:
            return found
        begins = self.new[max(0, found.own)].strip()
        return None if any(line.strip() == begins for line in self.old) else found

    def _is_repeated(self, meant: range, around: _EnclosingPair | None) -> bool:
        """Return True if the new text repeats members or unique lines of the omitted range."""
        before, after = (around.before, around.after) if around else ((), ())
        inside = [member for member in before if member.own in meant and member.last in meant]
        told = {(m.symbol.segments, m.symbol.kind) for m in after if not m.symbol.shared}
        if around and any((m.symbol.segments, m.symbol.kind) in told or around.find_old(m) for m in inside):
            return True
        once = Counter(line.strip() for line in self.old)
        bodies = [{row for member in side for row in member.body} for side in (inside, after)]
        for row in meant:
            line = self.old[row].strip()
            if once[line] > 1 or not _SAYS.search(line):
                continue
            again = [r for r, new in enumerate(self.new) if new.strip() == line and r not in self.marks]
            if again and not (row in bodies[0] and bodies[1].issuperset(again)):
                return True
        return False


def _iter_members(
    symbols: Iterable[Symbol], text: bytes, start: int, marks: Sequence[int] = ()
) -> Iterator[_Member]:
    """Yield the named members, by rows below ``start``; trivia above a placeholder is excluded."""
    for symbol in symbols:
        if not symbol.local and symbol.index is None:
            own, last = (_row_of(text, start, at) for at in (symbol.start, symbol.end - 1))
            first = max(
                [_row_of(text, start, symbol.full_start), *(mark + 1 for mark in marks if mark < own)]
            )
            yield _Member(symbol, first, own, last)


def _find_header_end(symbol: Symbol, text: bytes) -> int:
    """Return the last offset of a header, or of the bracket after it."""
    if text[symbol.header_end : symbol.header_end + 1] == b"{":
        return symbol.header_end
    return symbol.start + max(1, len(text[symbol.start : symbol.header_end].rstrip())) - 1


def _row_of(text: bytes, start: int, at: int) -> int:
    """Return the number of rows from ``start`` to ``at``; negative if ``at`` is above."""
    return text.count(b"\n", start, at) if at >= start else -text.count(b"\n", at, start)
