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
    marked = [
        _find_marks(splice.new, source.text[splice.start : splice.end], source) for splice in edit.splices
    ]
    if not any(marked):
        return edit

    after = source.with_edit(edit)
    splices, notes = [], []
    for splice, marks, (begin, _) in zip(edit.splices, marked, find_results(edit.splices), strict=True):
        neighbours = Neighbours(splice, begin, source, after, marks)
        pieces, at = [], 0
        for mark in marks:
            first, end = neighbours.find_omitted(mark) or _raise_elided(neighbours.new[mark])
            pieces += [*neighbours.new[at:mark], *neighbours.old[first:end]]
            at = mark + 1
            lines = "1 line" if end - first == 1 else f"{end - first} lines"
            notes.append(f"replaced {_show_line(neighbours.new[mark])} with {lines} of the file")
        text = b"\n".join([*pieces, *neighbours.new[at:]])
        splices.append(
            line_endings.make_splice(source.document, splice.start, splice.end, text) if marks else splice
        )
    return msgspec.structs.replace(
        edit,
        splices=tuple(splices),
        corrections=(*edit.corrections, *notes),
        inserted=None if edit.inserted is None else tuple(splice.new for splice in splices),
    )


def placeholder_error(error: ScalpelError, code: str, source: Source) -> ScalpelError:
    """Return the error for code whose shape was refused because of its placeholders, else ``error``."""
    lines = code.encode("utf-8", "surrogateescape").split(b"\n")
    old_lines = {line.strip() for line in source.text.split(b"\n")}
    marks = [line for line in lines if _is_mark(line, source) and line.strip() not in old_lines]
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
    old_lines = {line.strip() for line in old.split(b"\n")}
    return [
        row
        for row, line in enumerate(new.split(b"\n"))
        if _is_mark(line, source)
        and line.strip() not in old_lines
        and (old.strip() or placeholders.has_elision_words(line))
    ]


def _show_line(line: bytes) -> str:
    return line.strip().decode("utf-8", "replace")


def _raise_elided(line: bytes) -> NoReturn:
    raise _elided_error(line)


def _elided_error(line: bytes) -> DoesNotFit:
    return DoesNotFit(
        "elided",
        f"it is unclear which lines {_show_line(line)!r} stands for",
        "send the whole text; or keep next to the comment lines that occur only once in the replaced text; "
        "or edit only a part, with `text`, `lines` or `signature`",
        placeholder=_show_line(line),
    )


_WORD = re.compile(rb"\w")


class _Member(msgspec.Struct, frozen=True):
    """A member and its rows in the old or new text: start of its leading trivia, own start, and last row."""

    symbol: Symbol
    first: int
    own: int
    last: int

    @property
    def identity(self) -> tuple[tuple[str, ...], str]:
        return self.symbol.segments, self.symbol.kind

    @property
    def body(self) -> range:
        """The rows below the first one of its own text."""
        return range(self.own + 1, self.last + 1)


class _EnclosingPair(msgspec.Struct, frozen=True):
    """The definition around a placeholder, before and after, with its members."""

    old: Symbol
    new: Symbol
    old_members: tuple[_Member, ...]
    new_members: tuple[_Member, ...]

    def find_old(self, member: _Member) -> _Member | None:
        old, new = (
            [each for each in side if each.identity == member.identity]
            for side in (self.old_members, self.new_members)
        )
        return old[0] if len(old) == len(new) == 1 else None


class Neighbours:
    """The old and new lines of one splice, and the members to which they belong.

    ``begin`` is the offset of the new text in the file ``after`` the edit, which has the placeholders.
    ``marks`` are the placeholder lines of the new text, from 0.
    """

    def __init__(
        self, splice: Splice, begin: int, source: Source, after: Source, marks: Sequence[int]
    ) -> None:
        self.start, self.begin, self.marks = splice.start, begin, marks
        self.before, self.after = source.text, after.text
        self.old, self.new = (
            [line.removesuffix(b"\r") for line in text.split(b"\n")]
            for text in (source.text[splice.start : splice.end], splice.new)
        )
        data = source.language is None or source.rules.data  # whose names say little
        self.outlines = (None, None) if data else (source.judged, after.judged)

    def find_omitted(self, mark: int) -> tuple[int, int] | None:
        """Return the old lines ``[first, end)`` that a placeholder omits, or None if uncertain."""
        enclosing = self._find_enclosing(mark)
        above = max((other for other in self.marks if other < mark), default=-1)
        below = min((other for other in self.marks if other > mark), default=len(self.new))
        first = self._first_omitted(mark, above, enclosing)
        end = self._omitted_end(mark, below, enclosing)
        if first is None or end is None or not 0 <= first < end <= len(self.old):
            return None  # one without omitted lines is uncertain, too: its neighbours may have moved
        if self._is_repeated(range(first, end), enclosing):
            return None
        # Blank lines of the new text next to the placeholder are those of the old text.
        while first < end and not self.old[first].strip() and self._is_blank(mark - 1):
            first += 1
        while first < end and not self.old[end - 1].strip() and self._is_blank(mark + 1):
            end -= 1
        return first, end

    def _is_blank(self, row: int) -> bool:
        return 0 <= row < len(self.new) and not self.new[row].strip()

    def _find_enclosing(self, mark: int) -> _EnclosingPair | None:
        """Return the innermost definition around a new line that has the path of an old one."""
        old_outline, new_outline = self.outlines
        if old_outline is None or new_outline is None:
            return None
        offset = self.begin + len(b"\n".join([*self.after[self.begin :].split(b"\n")[:mark], b""]))
        line = self.new[mark]
        candidates = [
            s for s in new_outline.walk() if s.start < offset and s.header_end <= offset + len(line)
        ]
        candidates = [s for s in candidates if offset < s.end or self._is_block_end(s, offset, line)]
        if not candidates:
            return None
        innermost = candidates[-1]
        old_versions = [
            s for s in old_outline.walk() if s.path == innermost.path and s.kind == innermost.kind
        ]
        if len(old_versions) != 1:
            return None
        before = tuple(_iter_members(old_versions[0].children, self.before, self.start))
        after = tuple(_iter_members(innermost.children, self.after, self.begin, self.marks))
        return _EnclosingPair(old_versions[0], innermost, before, after)

    def _is_block_end(self, symbol: Symbol, at: int, line: bytes) -> bool:
        """Return True if a comment at ``at`` may end a block that only indentation ends."""
        header = self.after[self.after.rfind(b"\n", 0, symbol.start) + 1 :]
        return not self.after[symbol.end : at].strip() and len(indent_of(line)) > len(indent_of(header))

    def _first_omitted(self, mark: int, limit: int, enclosing: _EnclosingPair | None) -> int | None:
        """Return the old line after the neighbour above, which is below the new line ``limit``."""
        row = mark - 1
        while row > limit:
            member = self._find_member(row, enclosing)
            if enclosing and member and (old_member := enclosing.find_old(member)):
                return old_member.last + 1
            if member is None and self.new[row].strip():
                break
            row = (member.first if member else row) - 1  # new, or blank
        else:
            return 0 if limit < 0 else None
        first_new, first_old = limit + 1, 0
        if enclosing is not None:
            header_row = _row_of(self.after, self.begin, _find_header_end(enclosing.new, self.after))
            first_old = _row_of(self.before, self.start, _find_header_end(enclosing.old, self.before)) + 1
            if _row_of(self.after, self.begin, enclosing.new.start) <= row <= header_row:
                return first_old
            first_new = max(first_new, header_row + 1)
        old_row = placeholders.find_line_after(self.new[limit + 1 : row + 1], self.old)
        if old_row is None or not self._is_as_deep(first_new, row, max(0, first_old), old_row):
            return None
        return old_row

    def _is_as_deep(self, first_new: int, row: int, first_old: int, old_row: int) -> bool:
        """Return True if the neighbour above, the new line ``row``, is in the same blocks as before.

        In a block that begins differently it may be a new line that only looks like an old one.
        """
        old_neighbour = max((n for n in range(first_old, old_row) if self.old[n].strip()), default=None)
        if old_neighbour is None:
            return True
        headers = list(indentation.enclosing_headers(self.new[first_new : row + 1], row - first_new))
        old_lines = self.old[first_old : old_neighbour + 1]
        old_headers = list(indentation.enclosing_headers(old_lines, old_neighbour - first_old))
        return headers == old_headers[: len(headers)]

    def _omitted_end(self, mark: int, limit: int, enclosing: _EnclosingPair | None) -> int | None:
        """Return the old line of the neighbour below, which is above the new line ``limit``."""
        row = mark + 1
        while row < limit:
            member = self._find_member(row, enclosing)
            if enclosing and member and (old_member := enclosing.find_old(member)):
                return self._member_start(member, old_member)
            if member is None and self.new[row].strip():
                break
            row = (member.last if member else row) + 1
        else:
            return len(self.old) if limit == len(self.new) else None
        return placeholders.find_line_before(self.new[row:limit], self.old)

    def _member_start(self, member: _Member, old_member: _Member) -> int | None:
        """Return the old start of a member, with or without its trivia; None if the trivia differ."""
        if member.first == member.own:
            return old_member.own
        is_same = (
            old_member.first >= 0 and self.new[member.first].strip() == self.old[old_member.first].strip()
        )
        return old_member.first if is_same else None

    def _find_member(self, row: int, enclosing: _EnclosingPair | None) -> _Member | None:
        """Return the member, of the definition around the placeholder, that contains a new line.

        A member that is new although its first line is old counts as plain lines.
        """
        members = enclosing.new_members if enclosing else ()
        known = next((member for member in members if member.first <= row <= member.last), None)
        if enclosing is None or known is None or enclosing.find_old(known) is not None:
            return known
        first_line = self.new[max(0, known.own)].strip()
        return None if any(line.strip() == first_line for line in self.old) else known

    def _is_repeated(self, omitted: range, enclosing: _EnclosingPair | None) -> bool:
        """Return True if the new text repeats members or unique lines of the omitted range."""
        before, after = (enclosing.old_members, enclosing.new_members) if enclosing else ((), ())
        omitted_members = [member for member in before if member.own in omitted and member.last in omitted]
        new_identities = {member.identity for member in after if not member.symbol.shared}
        if enclosing and any(m.identity in new_identities or enclosing.find_old(m) for m in omitted_members):
            return True
        line_counts = Counter(line.strip() for line in self.old)
        bodies = [{row for member in side for row in member.body} for side in (omitted_members, after)]
        for row in omitted:
            line = self.old[row].strip()
            if line_counts[line] > 1 or not _WORD.search(line):
                continue
            repeated = [r for r, new in enumerate(self.new) if new.strip() == line and r not in self.marks]
            if repeated and not (row in bodies[0] and bodies[1].issuperset(repeated)):
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
    if text[symbol.header_end : symbol.header_end + 1] == b"{":
        return symbol.header_end
    return symbol.start + max(1, len(text[symbol.start : symbol.header_end].rstrip())) - 1


def _row_of(text: bytes, start: int, offset: int) -> int:
    """Return the rows from ``start`` to ``offset``; negative if ``offset`` is above."""
    return text.count(b"\n", start, offset) if offset >= start else -text.count(b"\n", offset, start)
