"""Whole files with placeholders such as ``# ... existing code ...``, as edits.

A placeholder is between two anchors, the lines right above and below it. Anchors occur in the file once
and in order, or are the edges of definitions that do. The beginning and the end of the file are anchors
as well. The lines between two anchors stay, and the rest becomes what the sketch says.

Lines that cannot be anchors, such as brackets that occur everywhere and lines that the sketch changes,
are located by the names of the definitions beside the placeholder.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from gitscalpel.edit.find_replace import OVER_SCOPED
from gitscalpel.edit.line_edits import insert_lines, replace_lines
from gitscalpel.edit.patches.formats.patch_errors import patch_error
from gitscalpel.edit.patches.formats.patch_model import Sketch
from gitscalpel.edit.patches.piece_placement import DocumentLines, PlacedPiece
from gitscalpel.edit.patches.placement_errors import anchor_ambiguous, anchor_not_found, sketch_over_scoped
from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text.indentation import indent_of
from gitscalpel.text.placeholders import is_placeholder
from gitscalpel.text.splice import Splice


class SketchMembers:
    """The definitions of a sketch and of the file; those of data have names that say little.

    Args:
        lines: of the sketch.
        source: the file.
    """

    def __init__(self, lines: Sequence[bytes], source: Source) -> None:
        self.lines = lines
        self.source = source

    def above(self, row: int, mark: int) -> int | None:
        """The line of the file below the definition that ends in ``row``, right above an ellipsis.

        Args:
            row: from 0, in the sketch.
            mark: the row of the ellipsis, which stands as deep as the definition.
        """
        found = self._known([s for s in self._beside(mark) if self._row(s.end - 1) == row])
        return None if found is None else self._line(found[1].end - 1) + 1

    def below(self, row: int, mark: int) -> int | None:
        """The line of the file at which the definition begins that begins in ``row``, perhaps with its lead.

        Where ``row`` is the last one of the definition around the ellipsis, it is the last line of that.
        """
        found = self._known(
            [s for s in self._beside(mark) if row in (self._row(s.outer), self._row(s.start))]
        )
        if found is not None:
            symbol, was = found
            begins = self._line(was.start if self._row(symbol.start) == row else was.outer)
        else:
            around = [s for s in self._now if self._row(s.start) < mark and self._row(s.end - 1) == row]
            found = self._known(around)
            if found is None:
                return None
            symbol, begins = found[0], self._line(found[1].end - 1)
        there = self.source.text.split(b"\n")[begins]
        return begins if self._row(symbol.start) == row or there.strip() == self.lines[row].strip() else None

    @cached_property
    def _text(self) -> bytes:
        return b"\n".join([*self.lines, b""])

    @cached_property
    def _now(self) -> list[Symbol]:
        if self.source.judged is None or self.source.rules.data:
            return []
        symbols = self.source.alone(self._text).walk()
        return [symbol for symbol in symbols if not symbol.local and symbol.index is None]

    def _row(self, at: int) -> int:
        """The row of the sketch at a position of its outline, which begins with what the language needs."""
        return self._text.count(b"\n", 0, max(0, at - len(self.source.rules.prologue)))

    def _line(self, at: int) -> int:
        """The line of the file at a position, from 0."""
        return self.source.text.count(b"\n", 0, at)

    def _beside(self, mark: int) -> list[Symbol]:
        """The definitions of the sketch that stand as deep as an ellipsis."""
        depth = indent_of(self.lines[mark])
        return [s for s in self._now if indent_of(self.lines[self._row(s.start)]) == depth]

    def _known(self, found: Sequence[Symbol]) -> tuple[Symbol, Symbol] | None:
        """The definition if it is one, and what it is in the file, if both have one of its path and kind."""
        if len(found) != 1:
            return None
        key = found[0].path, found[0].kind
        sides = (self._now, list(self.source.outline.walk()))
        now, was = ([s for s in side if (s.path, s.kind) == key] for side in sides)
        return (now[0], was[0]) if len(now) == len(was) == 1 else None


def place_sketch(sketch: Sketch, source: Source) -> PlacedPiece:
    """The splices that ``sketch`` is.

    Raises:
        DoesNotFit: ``patch_failed`` or ``ambiguous`` for an anchor, ``over_scoped``.
    """
    text = DocumentLines(source.document)
    splices: list[Splice] = []
    olds: list[bytes] = []
    news: list[bytes] = []
    regions = list(_regions(sketch, source, text))
    for first, last, lines in regions:
        before = text.plain[first:last]
        for tag, a, b, c, d in difflib.SequenceMatcher(None, before, lines, autojunk=False).get_opcodes():
            if tag != "equal":
                start, end = text.span(first + a, b - a)
                put = list(lines[c:d])
                splices.append(
                    replace_lines(source.document, put, start, end)
                    if a < b
                    else insert_lines(source.document, put, start)
                )
                olds += before[a:b]
                news += put
    if len(olds) >= OVER_SCOPED and 2 * len(news) < len(olds):
        raise sketch_over_scoped(source.path, len(olds), len(news))
    return PlacedPiece(tuple(splices), b"\n".join(olds), b"\n".join(news), tuple(_kept(regions, text)))


def _kept(regions: Sequence[tuple[int, int, Sequence[bytes]]], text: DocumentLines) -> Iterator[str]:
    """What the elisions stand for, in words."""
    edges = [0, *(edge for first, last, _ in regions for edge in (first, last)), len(text.lines)]
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        if first < last:
            yield f"lines {first + 1}-{last} stay where the block has an ellipsis"


def _regions(
    sketch: Sketch, source: Source, text: DocumentLines
) -> Iterator[tuple[int, int, Sequence[bytes]]]:
    """What the sketch says in full: from which line of the file to which, and the lines that come there."""
    parts = _parts(sketch.lines)
    members = SketchMembers(sketch.lines, source)
    reached = row = 0
    for number, lines in enumerate(parts):
        part, begins, row = lines, row, row + len(lines) + 1
        if not any(line.strip() for line in part):
            continue
        first, last = 0, len(text.lines)
        if number == 0:
            _refuse_other_edge(source.path, "begin", [line for line in text.plain if line.strip()][:1], part)
        else:
            first, part = _below(source.path, text, part, begins, members)
        if number == len(parts) - 1:
            _refuse_other_edge(source.path, "end", [line for line in text.plain if line.strip()][-1:], part)
        else:
            last, part = _above(source.path, text, part, row - 1, members)
        if not reached <= first < last:
            raise patch_error(
                f"the lines around an ellipsis in the block for {source.path} stand there in another order",
                "write them in the order of the file",
                path=source.path,
            )
        reached = last
        yield first, last, part


def _parts(lines: Sequence[bytes]) -> list[Sequence[bytes]]:
    """The lines between the elisions."""
    marks = [-1, *(n for n, line in enumerate(lines) if is_placeholder(line)), len(lines)]
    return [lines[a + 1 : b] for a, b in pairwise(marks)]


def _below(
    path: str, text: DocumentLines, part: Sequence[bytes], begins: int, members: SketchMembers
) -> tuple[int, Sequence[bytes]]:
    """Where the lines below an elision begin in the file, and these lines.

    They begin where the first stands, else with the definition there; blank lines above that are those
    of the file.
    """
    blank = next(n for n, line in enumerate(part) if line.strip())
    try:
        return _anchor(path, text, part[: blank + 1]), part
    except DoesNotFit:
        known = members.below(begins + blank, begins - 1)
        if known is None:
            raise
    return known, part[blank:]


def _above(
    path: str, text: DocumentLines, part: Sequence[bytes], mark: int, members: SketchMembers
) -> tuple[int, Sequence[bytes]]:
    """The line of the file below the lines above an elision, and these lines; as :func:`_below` does."""
    filled = 1 + max(n for n, line in enumerate(part) if line.strip())
    try:
        return _anchor(path, text, part[filled - 1 :]) + len(part) - filled + 1, part
    except DoesNotFit:
        known = members.above(mark - 1 - (len(part) - filled), mark)
        if known is None:
            raise
    return known, part[:filled]


def _anchor(path: str, text: DocumentLines, anchor: Sequence[bytes]) -> int:
    """Where the lines beside an elision stand; a blank one counts with the next that says something."""
    found = text.every(anchor)
    if not found:
        raise anchor_not_found(path, text.document, anchor)
    if len(found) > 1:
        raise anchor_ambiguous(path, anchor, found)
    return found[0]


def _refuse_other_edge(path: str, does: str, line: Sequence[bytes], part: Sequence[bytes]) -> None:
    """A block without an ellipsis at its edge must hold the line of the file's edge, or it lost the rest."""
    if line and line[0] not in part:
        edge = line[0].decode("utf-8", "replace")[:80]
        raise patch_error(
            f"the block for {path} does not {does} as the file does: {edge}",
            f"let it {does} with that line, or with a comment such as ... existing code ...",
            path=path,
        )
