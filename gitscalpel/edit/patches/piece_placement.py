"""The place in a file of a passage, of rows and of a span, as the splices that replace it.

A passage is text that occurs once, or as often as the patch says. It is looked up as a text operation
looks it up: exactly, or else leniently. Rows are whole lines by number, checked against the old lines
if the patch has them. A span is an exact position in the file as it was, as tools give it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import msgspec

from gitscalpel.edit.find_replace import adapt_new_text
from gitscalpel.edit.line_edits import insert_lines, replace_lines
from gitscalpel.edit.patches.formats.patch_errors import out_of_range_error, outdated_error, patch_error
from gitscalpel.edit.patches.formats.patch_model import Passage, Rows, Span
from gitscalpel.edit.patches.placement_errors import (
    edits_overlap,
    passage_ambiguous,
    passage_count,
    passage_not_found,
)
from gitscalpel.edit.source import Source
from gitscalpel.text import fuzzy_match, line_endings
from gitscalpel.text.document import Document
from gitscalpel.text.line_refs import locate_lines
from gitscalpel.text.splice import Splice

EXACT = "exact"


class PlacedPiece(msgspec.Struct, frozen=True):
    """A piece at its place.

    Attributes:
        splices: on the current text, ascending.
        old, new: the text that it replaces and the text that it writes, as the structure gate counts
            their lines.
        notes: what is to be told, in words.
        strategy: what had to be forgiven for it to fit.
    """

    splices: tuple[Splice, ...]
    old: bytes
    new: bytes
    notes: tuple[str, ...] = ()
    strategy: str = EXACT


def current_range(source: Source, start: int, end: int, label: str) -> tuple[int, int]:
    """Where the original range ``[start, end)`` is in the text as it is now.

    Raises:
        DoesNotFit: ``patch_failed``, if an earlier edit changed it.
    """
    if not source.track.rounds:
        return start, end
    now = source.track.forward(start, end)
    if source.text[slice(*now)] != source.original.text[start:end]:
        raise patch_error(
            f"{label} lies in line {source.original.line_at(start)}, which an earlier edit changed",
            "put both changes into one edit, or send the second one after the first has landed",
            path=source.path,
        )
    return now


class DocumentLines:
    """The lines of a document without their line feeds."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.lines = document.text.split(b"\n")
        if self.lines[-1] == b"":
            self.lines.pop()
        self.is_unfinished = bool(document.text) and not document.text.endswith(b"\n")

    @cached_property
    def plain(self) -> list[bytes]:
        """The lines without a carriage return at their end either."""
        return [line.removesuffix(b"\r") for line in self.lines]

    @cached_property
    def _where(self) -> dict[bytes, list[int]]:
        found: defaultdict[bytes, list[int]] = defaultdict(list)
        for at, line in enumerate(self.plain):
            found[line].append(at)
        return found

    def every(self, old: Sequence[bytes]) -> list[int]:
        """The index of every line at which ``old`` stands but for its line endings."""
        wanted = [line.removesuffix(b"\r") for line in old]
        rarest = min(range(len(wanted)), key=lambda n: len(self._where.get(wanted[n], ())))
        starts = (at - rarest for at in self._where.get(wanted[rarest], ()))
        return [at for at in starts if at >= 0 and self.plain[at : at + len(wanted)] == wanted]

    def span(self, at: int, count: int) -> tuple[int, int]:
        """The bytes of ``count`` lines from the index ``at`` on."""
        starts = self.document.starts
        return starts[min(at, len(starts) - 1)], starts[min(at + count, len(starts) - 1)]


def place_passage(passage: Passage, source: Source) -> PlacedPiece:
    """The splices that ``passage`` is.

    Raises:
        DoesNotFit: ``not_found``, ``ambiguous`` or ``count_mismatch``.
    """
    old, new = line_endings.plain(passage.old), line_endings.plain(passage.new)
    found = fuzzy_match.find_matches(fuzzy_match.Folded(source.text), old, new, known=source.numbers_at)
    if found is None:
        raise passage_not_found(source, passage)
    hits = (
        fuzzy_match.without_overlaps(found.hits) if passage.every or passage.count is not None else found.hits
    )
    spots = [(hit.start, hit.end) for hit in hits]
    if passage.count is not None and passage.count != len(hits):
        raise passage_count(source, passage, spots)
    if len(hits) > 1 and not passage.every and passage.count is None:
        raise passage_ambiguous(source, passage, spots)
    news = [adapt_new_text(hit, found.old, found.new, source, uniform=True) for hit in hits]
    splices = tuple(
        line_endings.splice(source.document, *spot, said) for spot, said in zip(spots, news, strict=True)
    )
    notes = (f"edit {passage.index} fits but for {found.forgives}",) if found.strategy != EXACT else ()
    return PlacedPiece(splices, old, new, notes, found.strategy)


def refuse_overlapping(passages: Sequence[Passage], source: Source) -> None:
    """Refuse edits of one call of which two name the same text: whoever wrote them saw one file.

    Raises:
        DoesNotFit: ``patch_failed``.
    """
    together = [passage for passage in passages if passage.call]
    if len(together) < 2:
        return
    folded = fuzzy_match.Folded(source.text)
    found = [
        (passage, fuzzy_match.find_exact(folded, line_endings.plain(passage.old))) for passage in together
    ]
    spots = [(hits[0].start, hits[0].end, passage) for passage, hits in found if len(hits) == 1]
    spots.sort(key=lambda spot: spot[:2])
    for (_, end, first), (start, _, second) in pairwise(spots):
        if start < end and first.call == second.call:
            raise edits_overlap(source, first.index, second.index, start)


def place_rows(rows: Rows, source: Source) -> PlacedPiece:
    """The splice that ``rows`` is.

    Raises:
        DoesNotFit: ``out_of_range``, or ``patch_failed`` if an earlier edit changed the lines.
        WorldMoved: ``stale``, if they are not what the patch says.
    """
    label = f"edit {rows.index} of {source.path}"
    document = source.document if rows.is_current else source.original
    count = document.line_count
    if rows.first > count + 1 or (rows.last > count and rows.first <= rows.last):
        raise out_of_range_error(label, f"line {max(rows.first, rows.last)}", f"{count} lines")
    if rows.seen is not None:
        locate_lines(rows.seen, document, False)
    start, end = document.starts[rows.first - 1], document.starts[rows.last]
    if rows.shown is not None and _lines(document.text[start:end]) != rows.shown:
        raise outdated_error(source.path, label, document, start, end)
    if not rows.is_current:
        start, end = current_range(source, start, end, label)
    if start == end:
        made = insert_lines(source.document, list(rows.new), start)
    else:
        made = replace_lines(source.document, list(rows.new), start, end)
    return PlacedPiece((made,), source.text[start:end], b"\n".join(rows.new))


def _lines(text: bytes) -> tuple[bytes, ...]:
    return tuple(line.removesuffix(b"\r") for line in text.removesuffix(b"\n").split(b"\n"))


def place_span(span: Span, source: Source) -> PlacedPiece:
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
        raise patch_error(
            f"the range of {label} ends before it begins", "give its start before its end", path=source.path
        )
    if span.shown is not None:
        first, last = (at.offset(original, label) for at in span.shown[:2])
        if original.text[first:last] != span.shown[2]:
            raise outdated_error(source.path, label, original, first, max(first, last))
    start, end = current_range(source, start, end, label)
    made = line_endings.splice(source.document, start, end, line_endings.plain(span.new))
    return PlacedPiece((made,), source.text[start:end], made.new, span.corrections)
