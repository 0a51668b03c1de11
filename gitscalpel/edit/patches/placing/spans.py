"""Spans: exact positions, as tools give them, in the file as it was."""

from __future__ import annotations

from gitscalpel.edit.patches.pieces import Span
from gitscalpel.edit.patches.placing.placed import Placed, carried
from gitscalpel.edit.patches.refusals import failed, outdated
from gitscalpel.edit.source import Source
from gitscalpel.text import endings


def place(span: Span, source: Source) -> Placed:
    """The splice that ``span`` is.

    Raises:
        DoesNotFit: ``out_of_range`` for a position that is not in the text, ``patch_failed`` for one
            inside a character, or if an earlier edit changed the text between the two.
        WorldMoved: ``stale``, if the file does not hold the text that the patch was made for.
    """
    label = f"edit {span.index} of {source.path}"
    original = source.original
    start, end = span.start.offset(original, label), span.end.offset(original, label)
    if end < start:
        raise failed(
            f"the range of {label} ends before it begins", "give its start before its end", path=source.path
        )
    if span.shown is not None:
        first, last = (at.offset(original, label) for at in span.shown[:2])
        if original.text[first:last] != span.shown[2]:
            raise outdated(source.path, label, original, first, max(first, last))
    start, end = carried(source, start, end, label)
    made = endings.splice(source.document, start, end, endings.plain(span.new))
    return Placed((made,), source.text[start:end], made.new, span.corrections)
