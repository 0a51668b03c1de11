"""Place the passages, rows and spans of a patch in a file, or explain why they do not fit.

A passage is text that is searched like that of a text operation. Rows are whole lines by number, checked
against the old lines if the patch has them. A span is an exact position in the file before the patch.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import msgspec

from gitscalpel.edit.patches.formats.patch_model import (
    Hunk,
    LineEdit,
    Passage,
    Piece,
    Span,
    out_of_range_error,
    outdated_error,
    patch_error,
)
from gitscalpel.edit.source import Source
from gitscalpel.edit.text_edits import adapt_new_text, insert_lines, replace_lines
from gitscalpel.errors import DoesNotFit
from gitscalpel.text import fuzzy_match, line_endings, placeholders
from gitscalpel.text.document import Document
from gitscalpel.text.fuzzy_match import find_first_difference, find_nearest_lines, split_lf_lines
from gitscalpel.text.line_refs import locate_lines
from gitscalpel.text.splice import Splice


def hunk_not_found_error(path: str, hunk: Hunk, document: Document) -> DoesNotFit:
    old = [line.removesuffix(b"\r") for line in hunk.old]
    require_no_elision(path, document, old, f"hunk {hunk.index}", hunk=hunk.index)
    message = f"hunk {hunk.index} does not fit {path}: its old lines are not in the file"
    hint = "copy the old lines exactly as they are in the file"
    return _not_found_error("patch_failed", message, hint, document, old, path=path, hunk=hunk.index)


def require_no_elision(path: str, document: Document, old: Sequence[bytes], label: str, **data: Any) -> None:
    """Raise ``elided`` if old text contains a placeholder, since all changed lines must be given."""
    file_lines = {line.strip() for line in split_lf_lines(document.text)}
    elision = next((line for line in old if _is_elision(line) and line.strip() not in file_lines), None)
    if elision is not None:
        raise DoesNotFit(
            "elided",
            f"{label} of {path} leaves out lines of its old text: {quote_lines([elision]).strip()}",
            "write the lines in full, or split the hunk at the placeholder",
            path=path,
            placeholder=quote_lines([elision]).strip(),
            **data,
        )


def _is_elision(line: bytes) -> bool:
    return line.strip() in (b"...", b"\xe2\x80\xa6") or placeholders.is_placeholder(line)


def _not_found_error(
    code: str, message: str, hint: str, document: Document, old: Sequence[bytes], **data: str | int
) -> DoesNotFit:
    """Return an error about old text that is not in the file, with the closest lines."""
    closest = list_closest_lines(document, old)
    difference = find_first_difference(split_lf_lines(line_endings.convert_to_lf(document.text)), old)
    differs = {"differs": difference.data} if difference else {}
    message += f"; {difference.words}" if difference else ""
    return DoesNotFit(code, message, hint_closest(hint, closest), **data, nearest=closest, **differs)


def list_closest_lines(document: Document, old: Sequence[bytes]) -> list[dict[str, Any]]:
    lines = split_lf_lines(document.text)
    return [{"n": n, "text": lines[n - 1].decode("utf-8", "replace")} for n in find_nearest_lines(lines, old)]


def hint_closest(hint: str, rows: Sequence[dict[str, Any]]) -> str:
    lines = "; ".join(f"line {row['n']}: {row['text']}" for row in rows)
    return f"{hint}; closest: {lines}" if rows else hint


def hunk_ambiguous_error(path: str, hunk: Hunk, places: Sequence[int], forgives: str = "") -> DoesNotFit:
    """Return the error of a hunk that fits in several places, none of them at its number."""
    count = len(hunk.old)
    ranges = [[at + 1, at + count] for at in places]
    difference = f" except for {forgives}" if forgives else ""
    is_numbered = hunk.number is not None or hunk.corrections
    return DoesNotFit(
        "ambiguous",
        f"hunk {hunk.index} fits {path}{difference} in {len(places)} places, at lines "
        + ", ".join(f"{first}-{last}" for first, last in ranges[:10]),
        "give more context lines around the change" + (", or its right line number" if is_numbered else ""),
        path=path,
        hunk=hunk.index,
        ranges=ranges,
    )


def hunk_contradiction_error(path: str, hunk: Hunk, numbered: int, headed: Sequence[int]) -> DoesNotFit:
    """Return the error of a hunk that fits at its number and, elsewhere, below its heading."""
    ranges = [[at + 1, at + len(hunk.old)] for at in (numbered, *headed)]
    heading = hunk.heading.decode("utf-8", "replace")
    others = ", ".join(str(first) for first, _ in ranges[1:10])
    return DoesNotFit(
        "ambiguous",
        f"hunk {hunk.index} fits {path} at line {numbered + 1} by its number and at line {others} by its "
        f"heading {heading!r}",
        "correct the line number, or leave out both number and heading and give more context lines",
        path=path,
        hunk=hunk.index,
        ranges=ranges,
    )


def hunk_ending_error(path: str, hunk: Hunk) -> DoesNotFit:
    """Return the error of a hunk that denies a final newline which the file has."""
    return patch_error(
        f"hunk {hunk.index} says that {path} ends without a newline, but it ends with one",
        r"leave out '\ No newline at end of file', or make the patch again from the file as it is",
        path=path,
        hunk=hunk.index,
    )


def anchor_elsewhere_error(path: str, hunk: Hunk, is_there: bool, places: Sequence[int]) -> DoesNotFit:
    """Return the error of a hunk whose @@ line is not in the file, or only below the hunk."""
    anchor = quote_lines(hunk.anchors[-1])
    fact = "its old lines are above that line" if is_there else "the file does not contain that line"
    return patch_error(
        f"hunk {hunk.index} is to be below {anchor!r} in {path}, but {fact}",
        f"after @@, write a line above line {places[0] + 1} exactly as in the file, or leave it out",
        path=path,
        hunk=hunk.index,
    )


def hunk_applied_error(path: str, hunk: Hunk, at: int) -> DoesNotFit:
    return DoesNotFit(
        "no_change",
        f"the lines that hunk {hunk.index} adds to {path} are already at line {at + 1}",
        "to add them again, give unchanged lines on both sides of them",
        path=path,
        hunk=hunk.index,
    )


def overlap_error(source: Source, first: int, second: int, at: int) -> DoesNotFit:
    return patch_error(
        f"edits {first} and {second} of {source.path} change the same place, "
        f"line {source.document.line_at(at)}",
        "put both changes into one hunk or edit",
        path=source.path,
        edits=[first, second],
    )


def quote_lines(lines: Sequence[bytes]) -> str:
    return b"\n".join(lines).strip(b"\n").decode("utf-8", "replace")


def passage_not_found_error(source: Source, passage: Passage) -> DoesNotFit:
    old = split_lf_lines(line_endings.convert_to_lf(passage.old))
    require_no_elision(source.path, source.document, old, f"edit {passage.index}", edit=passage.index)
    message = f"edit {passage.index} of {source.path}: its old text is not in the file"
    hint = "copy the old text exactly as it is in the file"
    return _not_found_error(
        "not_found", message, hint, source.document, old, path=source.path, edit=passage.index
    )


def passage_ambiguous_error(source: Source, passage: Passage, found: Sequence[tuple[int, int]]) -> DoesNotFit:
    at = source.document.line_at
    ranges = [[at(start), max(at(start), at(end - 1))] for start, end in found]
    return DoesNotFit(
        "ambiguous",
        f"edit {passage.index} of {source.path}: its old text occurs {len(found)} times, at lines "
        + ", ".join(f"{first}-{last}" if first < last else str(first) for first, last in ranges[:10]),
        "add lines around it until it is unique, or replace every occurrence with replace_all",
        path=source.path,
        edit=passage.index,
        ranges=ranges,
    )


def passage_count_error(source: Source, passage: Passage, found: Sequence[tuple[int, int]]) -> DoesNotFit:
    at = source.document.line_at
    return DoesNotFit(
        "count_mismatch",
        f"edit {passage.index} of {source.path}: its old text occurs {len(found)} times, but "
        f"{passage.count} are expected",
        "give the right number, or add lines around the occurrences that you mean",
        path=source.path,
        edit=passage.index,
        lines=[at(start) for start, _ in found],
        count=len(found),
    )


def passage_over_scoped_error(path: str, matched: int, put_back: int) -> DoesNotFit:
    """Return the error of leniently matched text of which less than half is put back."""
    return DoesNotFit(
        "over_scoped",
        f"the old text matches {matched} lines of {path} only leniently, and replaces them with {put_back}",
        "copy the old text exactly as it is in the file, or give only the lines that change",
        path=path,
        matched=matched,
        put_back=put_back,
    )


def anchor_not_found_error(path: str, document: Document, anchor: Sequence[bytes]) -> DoesNotFit:
    closest = list_closest_lines(document, anchor)
    hint = "write above and below each ellipsis a line exactly as the file has it"
    return patch_error(
        f"the block for {path} has an ellipsis next to lines that are not in the file: {quote_lines(anchor)}",
        hint_closest(hint, closest),
        path=path,
        anchor=quote_lines(anchor),
        nearest=closest,
    )


def anchor_ambiguous_error(path: str, anchor: Sequence[bytes], places: Sequence[int]) -> DoesNotFit:
    ranges = [[at + 1, at + len(anchor)] for at in places]
    return DoesNotFit(
        "ambiguous",
        f"the block for {path} has an ellipsis next to lines that the file contains {len(places)} times, "
        "at lines " + ", ".join(str(first) for first, _ in ranges[:10]) + f": {quote_lines(anchor)}",
        "write out more lines next to the ellipsis, up to a line that occurs once in the file",
        path=path,
        anchor=quote_lines(anchor),
        ranges=ranges,
    )


def sketch_over_scoped_error(path: str, removed: int, written: int) -> DoesNotFit:
    """Return the error of a block that omits many lines without a placeholder."""
    return DoesNotFit(
        "over_scoped",
        f"the block for {path} omits {removed} lines of the file and has {written} in their place",
        "add a comment ... existing code ... where lines stay; to remove lines, use `delete` or `lines`",
        path=path,
        removed=removed,
        written=written,
    )


EXACT = "exact"


class PlacedPiece(msgspec.Struct, frozen=True):
    """The splices of a piece, its old and new text, remarks to report, and the match strategy."""

    splices: tuple[Splice, ...]
    old: bytes
    new: bytes
    notes: tuple[str, ...] = ()
    strategy: str = EXACT


def current_range(source: Source, start: int, end: int, label: str) -> tuple[int, int]:
    """Return the current range of the original range, or raise ``patch_failed`` if it changed."""
    if not source.track.rounds:
        return start, end
    current = source.track.forward(start, end)
    if source.text[slice(*current)] != source.original.text[start:end]:
        raise patch_error(
            f"{label} is in line {source.original.line_at(start)}, which an earlier edit changed",
            "put both changes into one edit, or send the second one after the first has landed",
            path=source.path,
        )
    return current


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
        return [line.removesuffix(b"\r") for line in self.lines]

    @cached_property
    def _indices_by_line(self) -> dict[bytes, list[int]]:
        indices: defaultdict[bytes, list[int]] = defaultdict(list)
        for at, line in enumerate(self.plain):
            indices[line].append(at)
        return indices

    def find_lines(self, old: Sequence[bytes]) -> list[int]:
        """Return the index of every occurrence of the lines ``old``, ignoring line endings."""
        stripped = [line.removesuffix(b"\r") for line in old]
        rarest = min(range(len(stripped)), key=lambda n: len(self._indices_by_line.get(stripped[n], ())))
        starts = (at - rarest for at in self._indices_by_line.get(stripped[rarest], ()))
        return [at for at in starts if at >= 0 and self.plain[at : at + len(stripped)] == stripped]

    def span(self, at: int, count: int) -> tuple[int, int]:
        starts = self.document.starts
        return starts[min(at, len(starts) - 1)], starts[min(at + count, len(starts) - 1)]


def place_passage(passage: Passage, source: Source) -> PlacedPiece:
    """Return the splices of ``passage``, or raise ``not_found``, ``ambiguous`` or ``count_mismatch``."""
    old, new = line_endings.convert_to_lf(passage.old), line_endings.convert_to_lf(passage.new)
    match = fuzzy_match.find_matches(
        fuzzy_match.FoldedText(source.text), old, new, known=source.line_numbers_at
    )
    if match is None:
        raise passage_not_found_error(source, passage)
    hits = fuzzy_match.drop_overlaps(match.hits) if passage.every or passage.count is not None else match.hits
    ranges = [(hit.start, hit.end) for hit in hits]
    if passage.count is not None and passage.count != len(hits):
        raise passage_count_error(source, passage, ranges)
    if len(hits) > 1 and not passage.every and passage.count is None:
        raise passage_ambiguous_error(source, passage, ranges)
    new_texts = [adapt_new_text(hit, match.old, match.new, source, uniform=True) for hit in hits]
    splices = tuple(
        line_endings.make_splice(source.document, *spot, text)
        for spot, text in zip(ranges, new_texts, strict=True)
    )
    notes = (f"edit {passage.index} fits except for {match.forgives}",) if match.strategy != EXACT else ()
    return PlacedPiece(splices, old, new, notes, match.strategy)


def require_no_overlap(pieces: Sequence[Piece], source: Source) -> None:
    """Raise ``patch_failed`` if two edits of one call name the same text, even if each would fit."""
    grouped = [piece for piece in pieces if isinstance(piece, Passage) and piece.call]
    if len(grouped) < 2:
        return
    folded = fuzzy_match.FoldedText(source.text)
    matches = [
        (passage, fuzzy_match.find_exact(folded, line_endings.convert_to_lf(passage.old)))
        for passage in grouped
    ]
    ranges = [(hits[0].start, hits[0].end, passage) for passage, hits in matches if len(hits) == 1]
    ranges.sort(key=lambda spot: spot[:2])
    for (_, end, first), (start, _, second) in pairwise(ranges):
        if start < end and first.call == second.call:
            raise overlap_error(source, first.index, second.index, start)


def place_rows(rows: LineEdit, source: Source) -> PlacedPiece:
    """Return the splice of ``rows``.

    Raises ``out_of_range``, ``patch_failed`` if an earlier edit changed the lines, or ``stale`` if the lines
    differ from the patch's.
    """
    label = f"edit {rows.index} of {source.path}"
    document = source.document if rows.is_current else source.original
    count = document.line_count
    if rows.first > count + 1 or (rows.last > count and rows.first <= rows.last):
        raise out_of_range_error(label, f"line {max(rows.first, rows.last)}", f"{count} lines")
    if rows.seen is not None:
        locate_lines(rows.seen, document, False)
    start, end = document.starts[rows.first - 1], document.starts[rows.last]
    if rows.shown is not None and _split_lines(document.text[start:end]) != rows.shown:
        raise outdated_error(source.path, label, document, start, end)
    if not rows.is_current:
        start, end = current_range(source, start, end, label)
    if start == end:
        replacement = insert_lines(source.document, list(rows.new), start)
    else:
        replacement = replace_lines(source.document, list(rows.new), start, end)
    return PlacedPiece((replacement,), source.text[start:end], b"\n".join(rows.new))


def _split_lines(text: bytes) -> tuple[bytes, ...]:
    return tuple(line.removesuffix(b"\r") for line in text.removesuffix(b"\n").split(b"\n"))


def place_span(span: Span, source: Source) -> PlacedPiece:
    """Return the splice of ``span``.

    Raises ``out_of_range`` for a position beyond the text, ``patch_failed`` for one inside a character or if
    an earlier edit changed the range, or ``stale`` if the file lacks the text that the patch was made for.
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
    replacement = line_endings.make_splice(source.document, start, end, line_endings.convert_to_lf(span.new))
    return PlacedPiece((replacement,), source.text[start:end], replacement.new, span.corrections)
