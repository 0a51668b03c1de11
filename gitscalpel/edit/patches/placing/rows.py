"""Rows: whole lines by number, checked against what they should be where the patch says it."""

from __future__ import annotations

from gitscalpel.edit.lines import insertion, replacement
from gitscalpel.edit.patches.pieces import Rows
from gitscalpel.edit.patches.placing.placed import Placed, carried
from gitscalpel.edit.patches.refusals import outdated, unreachable
from gitscalpel.edit.source import Source
from gitscalpel.text.locate import locate


def place(rows: Rows, source: Source) -> Placed:
    """The splice that ``rows`` is.

    Raises:
        DoesNotFit: ``out_of_range``, or ``patch_failed`` if an earlier edit changed the lines.
        WorldMoved: ``stale``, if they are not what the patch says.
    """
    label = f"edit {rows.index} of {source.path}"
    document = source.document if rows.is_current else source.original
    count = document.line_count
    if rows.first > count + 1 or (rows.last > count and rows.first <= rows.last):
        raise unreachable(label, f"line {max(rows.first, rows.last)}", f"{count} lines")
    if rows.seen is not None:
        locate(rows.seen, document, False)
    start, end = document.starts[rows.first - 1], document.starts[rows.last]
    if rows.shown is not None and _lines(document.text[start:end]) != rows.shown:
        raise outdated(source.path, label, document, start, end)
    if not rows.is_current:
        start, end = carried(source, start, end, label)
    if start == end:
        made = insertion(source.document, list(rows.new), start)
    else:
        made = replacement(source.document, list(rows.new), start, end)
    return Placed((made,), source.text[start:end], b"\n".join(rows.new))


def _lines(text: bytes) -> tuple[bytes, ...]:
    return tuple(line.removesuffix(b"\r") for line in text.removesuffix(b"\n").split(b"\n"))
