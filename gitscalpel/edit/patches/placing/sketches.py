"""Sketches: a whole file in which comments such as ``# ... existing code ...`` stand for lines.

Such a comment lies between two anchors, the lines right above and below it, which must stand in the
file once and in order, or be the edges of definitions that do; the beginning and the end of the file
are anchors as well. What stands between is left as it is, and the rest becomes what the sketch says.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from itertools import pairwise

from gitscalpel.edit.lines import insertion, replacement
from gitscalpel.edit.patches.pieces import Sketch
from gitscalpel.edit.patches.placing.lines import Lines
from gitscalpel.edit.patches.placing.placed import Placed
from gitscalpel.edit.patches.placing.sketch_members import Members
from gitscalpel.edit.patches.placing.sketch_misfits import (
    anchor_ambiguous,
    anchor_not_found,
    sketch_over_scoped,
)
from gitscalpel.edit.patches.refusals import failed
from gitscalpel.edit.source import Source
from gitscalpel.edit.texts import OVER_SCOPED
from gitscalpel.errors import DoesNotFit
from gitscalpel.text.elision import is_elision
from gitscalpel.text.splice import Splice


def place(sketch: Sketch, source: Source) -> Placed:
    """The splices that ``sketch`` is.

    Raises:
        DoesNotFit: ``patch_failed`` or ``ambiguous`` for an anchor, ``over_scoped``.
    """
    text = Lines(source.document)
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
                    replacement(source.document, put, start, end)
                    if a < b
                    else insertion(source.document, put, start)
                )
                olds += before[a:b]
                news += put
    if len(olds) >= OVER_SCOPED and 2 * len(news) < len(olds):
        raise sketch_over_scoped(source.path, len(olds), len(news))
    return Placed(tuple(splices), b"\n".join(olds), b"\n".join(news), tuple(_kept(regions, text)))


def _kept(regions: Sequence[tuple[int, int, Sequence[bytes]]], text: Lines) -> Iterator[str]:
    """What the elisions stand for, in words."""
    edges = [0, *(edge for first, last, _ in regions for edge in (first, last)), len(text.lines)]
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        if first < last:
            yield f"lines {first + 1}-{last} stay where the block has an ellipsis"


def _regions(sketch: Sketch, source: Source, text: Lines) -> Iterator[tuple[int, int, Sequence[bytes]]]:
    """What the sketch says in full: from which line of the file to which, and the lines that come there."""
    parts = _parts(sketch.lines)
    members = Members(sketch.lines, source)
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
            raise failed(
                f"the lines around an ellipsis in the block for {source.path} stand there in another order",
                "write them in the order of the file",
                path=source.path,
            )
        reached = last
        yield first, last, part


def _parts(lines: Sequence[bytes]) -> list[Sequence[bytes]]:
    """The lines between the elisions."""
    marks = [-1, *(n for n, line in enumerate(lines) if is_elision(line)), len(lines)]
    return [lines[a + 1 : b] for a, b in pairwise(marks)]


def _below(
    path: str, text: Lines, part: Sequence[bytes], begins: int, members: Members
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
    path: str, text: Lines, part: Sequence[bytes], mark: int, members: Members
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


def _anchor(path: str, text: Lines, anchor: Sequence[bytes]) -> int:
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
        raise failed(
            f"the block for {path} does not {does} as the file does: {edge}",
            f"let it {does} with that line, or with a comment such as ... existing code ...",
            path=path,
        )
