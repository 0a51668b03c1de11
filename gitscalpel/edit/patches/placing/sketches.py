"""Sketches: a whole file in which comments such as ``# ... existing code ...`` stand for lines.

Such a comment lies between two anchors, the lines right above and below it, which must stand in the
file once and in order; the beginning and the end of the file are anchors as well. What stands
between is left as it is, and the rest of the file becomes what the sketch says.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from itertools import pairwise

from gitscalpel.edit.lines import insertion, replacement
from gitscalpel.edit.patches.pieces import Sketch
from gitscalpel.edit.patches.placing.lines import Lines
from gitscalpel.edit.patches.placing.placed import Placed
from gitscalpel.edit.patches.placing.sketch_misfits import (
    anchor_ambiguous,
    anchor_not_found,
    sketch_over_scoped,
)
from gitscalpel.edit.patches.refusals import failed
from gitscalpel.edit.source import Source
from gitscalpel.edit.texts import OVER_SCOPED
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
    reached = 0
    for number, part in enumerate(parts):
        filled = [n for n, line in enumerate(part) if line.strip()]
        if not filled:
            continue
        first, last = 0, len(text.lines)
        if number == 0:
            _refuse_other_edge(source.path, "begin", [line for line in text.plain if line.strip()][:1], part)
        else:
            first = _anchor(source.path, text, part[: filled[0] + 1])
        if number == len(parts) - 1:
            _refuse_other_edge(source.path, "end", [line for line in text.plain if line.strip()][-1:], part)
        else:
            tail = part[filled[-1] :]
            last = _anchor(source.path, text, tail) + len(tail)
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
