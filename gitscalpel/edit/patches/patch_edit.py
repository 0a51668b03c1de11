"""Compute the edit or new content of one file from a patch, and place sketches.

A sketch is a whole file with placeholders. A placeholder is between two anchors, the lines directly above and
below it, which occur in the file once and in order. The ends of the file are anchors as well. The lines
between two anchors stay. Other lines are located by the definitions next to the placeholder.
"""

from __future__ import annotations

import codecs
import difflib
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import msgspec

from gitscalpel.edit.patches import placement
from gitscalpel.edit.patches.formats import diff_hunks
from gitscalpel.edit.patches.formats.patch_model import (
    FilePatch,
    Hunk,
    LineEdit,
    Passage,
    Piece,
    Sketch,
    Span,
    no_change_error,
    patch_error,
)
from gitscalpel.edit.patches.hunk_search import HunkSearch
from gitscalpel.edit.patches.placement import (
    EXACT,
    DocumentLines,
    PlacedPiece,
    anchor_ambiguous_error,
    anchor_not_found_error,
    overlap_error,
    passage_over_scoped_error,
    sketch_over_scoped_error,
)
from gitscalpel.edit.source import Edit, Source
from gitscalpel.edit.text_edits import OVER_SCOPED, find_harm, insert_lines, replace_lines
from gitscalpel.errors import DoesNotFit, ScalpelError
from gitscalpel.syntax.languages import read_document
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text import splice
from gitscalpel.text.document import BYTES, Document
from gitscalpel.text.fuzzy_match import BY_LINES
from gitscalpel.text.indentation import indent_of
from gitscalpel.text.placeholders import is_placeholder
from gitscalpel.text.splice import Splice


class SketchMembers:
    """Definitions that a sketch shares with its file, which show where the placeholders begin and end.

    Empty for data files, whose keys do not identify a place.
    """

    def __init__(self, lines: Sequence[bytes], source: Source) -> None:
        self.lines = lines
        self.source = source

    def above(self, row: int, mark: int) -> int | None:
        """Return the line of the file below the definition that ends in ``row`` above the placeholder."""
        pair = self._find_pair(
            [s for s in self._symbols_at_depth(mark) if self._sketch_row(s.end - 1) == row]
        )
        return None if pair is None else self._file_line(pair[1].end - 1) + 1

    def below(self, row: int, mark: int) -> int | None:
        """Return the first line in the file of the definition, or its leading trivia, that begins in ``row``.

        If ``row`` is the last row of the definition around the placeholder, return that definition's last
        line.
        """
        pair = self._find_pair(
            [
                s
                for s in self._symbols_at_depth(mark)
                if row in (self._sketch_row(s.full_start), self._sketch_row(s.start))
            ]
        )
        if pair is not None:
            symbol, old_symbol = pair
            line = self._file_line(
                old_symbol.start if self._sketch_row(symbol.start) == row else old_symbol.full_start
            )
        else:
            enclosing = [
                s
                for s in self._sketch_symbols
                if self._sketch_row(s.start) < mark and self._sketch_row(s.end - 1) == row
            ]
            pair = self._find_pair(enclosing)
            if pair is None:
                return None
            symbol, line = pair[0], self._file_line(pair[1].end - 1)
        file_line = self.source.text.split(b"\n")[line]
        is_same = self._sketch_row(symbol.start) == row or file_line.strip() == self.lines[row].strip()
        return line if is_same else None

    @cached_property
    def _sketch_text(self) -> bytes:
        return b"\n".join([*self.lines, b""])

    @cached_property
    def _sketch_symbols(self) -> list[Symbol]:
        if self.source.judged is None or self.source.rules.data:
            return []
        symbols = self.source.alone(self._sketch_text).walk()
        return [symbol for symbol in symbols if not symbol.local and symbol.index is None]

    def _sketch_row(self, at: int) -> int:
        return self._sketch_text.count(b"\n", 0, max(0, at - len(self.source.rules.prologue)))

    def _file_line(self, at: int) -> int:
        return self.source.text.count(b"\n", 0, at)

    def _symbols_at_depth(self, mark: int) -> list[Symbol]:
        depth = indent_of(self.lines[mark])
        return [s for s in self._sketch_symbols if indent_of(self.lines[self._sketch_row(s.start)]) == depth]

    def _find_pair(self, found: Sequence[Symbol]) -> tuple[Symbol, Symbol] | None:
        """Return the only definition and its counterpart of the same path and kind in the file, or None."""
        if len(found) != 1:
            return None
        key = found[0].path, found[0].kind
        sides = (self._sketch_symbols, list(self.source.outline.walk()))
        new, old = ([s for s in side if (s.path, s.kind) == key] for side in sides)
        return (new[0], old[0]) if len(new) == len(old) == 1 else None


def place_sketch(sketch: Sketch, source: Source) -> PlacedPiece:
    """Return the splices of ``sketch``, or raise ``patch_failed``, ``ambiguous`` or ``over_scoped``."""
    text = DocumentLines(source.document)
    splices: list[Splice] = []
    old_lines: list[bytes] = []
    new_lines: list[bytes] = []
    regions = list(_iter_regions(sketch, source, text))
    for first, last, lines in regions:
        before = text.plain[first:last]
        for tag, a, b, c, d in difflib.SequenceMatcher(None, before, lines, autojunk=False).get_opcodes():
            if tag != "equal":
                start, end = text.span(first + a, b - a)
                written = list(lines[c:d])
                if a < b:
                    splices.append(replace_lines(source.document, written, start, end))
                else:
                    splices.append(insert_lines(source.document, written, start))
                old_lines += before[a:b]
                new_lines += written
    if len(old_lines) >= OVER_SCOPED and 2 * len(new_lines) < len(old_lines):
        raise sketch_over_scoped_error(source.path, len(old_lines), len(new_lines))
    return PlacedPiece(
        tuple(splices), b"\n".join(old_lines), b"\n".join(new_lines), tuple(_iter_kept(regions, text))
    )


def _iter_kept(regions: Sequence[tuple[int, int, Sequence[bytes]]], text: DocumentLines) -> Iterator[str]:
    edges = [0, *(edge for first, last, _ in regions for edge in (first, last)), len(text.lines)]
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        if first < last:
            yield f"lines {first + 1}-{last} stay where the block has an ellipsis"


def _iter_regions(
    sketch: Sketch, source: Source, text: DocumentLines
) -> Iterator[tuple[int, int, Sequence[bytes]]]:
    """Yield the explicit regions of the sketch: first and last line in the file, and the new lines."""
    parts = _split_parts(sketch.lines)
    members = SketchMembers(sketch.lines, source)
    previous_end = row = 0
    for number, lines in enumerate(parts):
        part, begins, row = lines, row, row + len(lines) + 1
        if not any(line.strip() for line in part):
            continue
        first, last = 0, len(text.lines)
        if number == 0:
            _require_file_edge(source.path, "begin", [line for line in text.plain if line.strip()][:1], part)
        else:
            first, part = _locate_below(source.path, text, part, begins, members)
        if number == len(parts) - 1:
            _require_file_edge(source.path, "end", [line for line in text.plain if line.strip()][-1:], part)
        else:
            last, part = _locate_above(source.path, text, part, row - 1, members)
        if not previous_end <= first < last:
            raise patch_error(
                f"the lines around an ellipsis in the block for {source.path} are in another order there",
                "write them in the order of the file",
                path=source.path,
            )
        previous_end = last
        yield first, last, part


def _split_parts(lines: Sequence[bytes]) -> list[Sequence[bytes]]:
    marks = [-1, *(n for n, line in enumerate(lines) if is_placeholder(line)), len(lines)]
    return [lines[a + 1 : b] for a, b in pairwise(marks)]


def _locate_below(
    path: str, text: DocumentLines, part: Sequence[bytes], begins: int, members: SketchMembers
) -> tuple[int, Sequence[bytes]]:
    """Return the index in the file of the lines below a placeholder, and these lines.

    The region begins at the first of the lines, or else at the definition there; blank lines above it are
    those of the file.
    """
    blank = next(n for n, line in enumerate(part) if line.strip())
    try:
        return _find_anchor(path, text, part[: blank + 1]), part
    except DoesNotFit:
        known = members.below(begins + blank, begins - 1)
        if known is None:
            raise
    return known, part[blank:]


def _locate_above(
    path: str, text: DocumentLines, part: Sequence[bytes], mark: int, members: SketchMembers
) -> tuple[int, Sequence[bytes]]:
    """Return the index in the file below the lines above a placeholder, and these lines."""
    filled_count = 1 + max(n for n, line in enumerate(part) if line.strip())
    try:
        return _find_anchor(path, text, part[filled_count - 1 :]) + len(part) - filled_count + 1, part
    except DoesNotFit:
        known = members.above(mark - 1 - (len(part) - filled_count), mark)
        if known is None:
            raise
    return known, part[:filled_count]


def _find_anchor(path: str, text: DocumentLines, anchor: Sequence[bytes]) -> int:
    places = text.find_lines(anchor)
    if not places:
        raise anchor_not_found_error(path, text.document, anchor)
    if len(places) > 1:
        raise anchor_ambiguous_error(path, anchor, places)
    return places[0]


def _require_file_edge(path: str, does: str, line: Sequence[bytes], part: Sequence[bytes]) -> None:
    """Raise if a block starts (ends) with neither a placeholder nor the file's first (last) line."""
    if line and line[0] not in part:
        edge = line[0].decode("utf-8", "replace")[:80]
        place = "first" if does == "begin" else "last"
        raise patch_error(
            f"the block for {path} does not {does} with the {place} line of the file: {edge}",
            f"let it {does} with that line, or with a comment such as ... existing code ...",
            path=path,
        )


_PLACES: dict[type[Piece], Callable[[Any, Source], PlacedPiece]] = {
    Passage: placement.place_passage,
    LineEdit: placement.place_rows,
    Span: placement.place_span,
    Sketch: place_sketch,
}


def make_edit(pieces: Sequence[Piece], source: Source, *, is_exempt: bool = True) -> Edit:
    """Return all ``pieces`` as one edit of ``source``, each found in its current text.

    Pieces at one position are applied in this order. With ``is_exempt`` the structure gate, unless strict,
    skips an edit whose old text fits exactly. Raises ``patch_failed``, ``ambiguous``, ``no_change`` or
    ``stale``.
    """
    placed = place_pieces(pieces, source)
    splices = sorted((splice for each in placed for splice in each.splices), key=lambda splice: splice.start)
    if any(before.end > after.start for before, after in pairwise(splices)):
        raise _overlap_error(pieces, placed, source)
    splices = [splice for splice in splices if source.text[splice.start : splice.end] != splice.new]
    if not splices:
        (piece, *others) = pieces
        raise no_change_error(source.path, "the patch" if others else f"{_label_piece(piece)} of the patch")
    strategies = list(dict.fromkeys(each.strategy for each in placed if each.strategy != EXACT))
    if any(strategy in BY_LINES for strategy in strategies):
        _require_harmless(source, placed, splices)
    return Edit(
        tuple(splices),
        target=(splices[0].start, splices[-1].end),
        matched=", ".join(strategies) or None,
        corrections=tuple(note for each in placed for note in each.notes),
        replaced=(b"\n".join(each.old for each in placed),),
        inserted=(b"\n".join(each.new for each in placed),),
        is_exempt=is_exempt and not strategies,
    )


def place_pieces(pieces: Sequence[Piece], source: Source) -> list[PlacedPiece]:
    """Find the places of ``pieces``, or raise ``patch_failed``, ``ambiguous`` or ``stale``."""
    hunks = HunkSearch(source, [piece for piece in pieces if isinstance(piece, Hunk)])
    return [_place_piece(piece, hunks) for piece in pieces]


def _require_harmless(source: Source, placed: Sequence[PlacedPiece], made: Sequence[Splice]) -> None:
    for each in placed:
        old, new = (text.count(b"\n") + 1 if text else 0 for text in (each.old, each.new))
        if each.strategy in BY_LINES and old >= OVER_SCOPED and 2 * new < old:
            raise passage_over_scoped_error(source.path, old, new)
    harm = find_harm(source, tuple(made))
    if harm:
        strategies = ", ".join(dict.fromkeys(each.strategy for each in placed if each.strategy in BY_LINES))
        raise patch_error(
            f"the old text for {source.path} fits only leniently ({strategies}), and the result would {harm}",
            "copy the old text exactly from the file, and check that the new one is complete",
            path=source.path,
        )


def _label_piece(piece: Piece) -> str:
    return f"{'hunk' if isinstance(piece, Hunk) else 'edit'} {piece.index}"


def _place_piece(piece: Piece, hunks: HunkSearch) -> PlacedPiece:
    try:
        return hunks.place(piece) if isinstance(piece, Hunk) else _PLACES[type(piece)](piece, hunks.source)
    except ScalpelError as error:
        location = {"path": hunks.source.path, "hunk" if isinstance(piece, Hunk) else "edit": piece.index}
        raise error.but(**{**location, **error.data}) from error


def _overlap_error(pieces: Sequence[Piece], placed: Sequence[PlacedPiece], source: Source) -> DoesNotFit:
    numbered = [(s, piece.index) for piece, each in zip(pieces, placed, strict=True) for s in each.splices]
    numbered.sort(key=lambda each: each[0].start)
    (_, first), (second, last) = next((a, b) for a, b in pairwise(numbered) if a[0].end > b[0].start)
    return overlap_error(source, first, last, second.start)


def build_new_content(file: FilePatch) -> bytes:
    """Return the content of a created file, or raise ``patch_failed`` if the patch has old lines."""
    if file.hunks:
        return _join_new_lines(file)
    source = Source.read(
        file.path, b"" if file.content is None else diff_hunks.apply_binary(file.content, b"")
    )
    for pieces in group_pieces(file):
        source = source.with_edit(make_edit(pieces, source))
    return source.document.raw


def _join_new_lines(file: FilePatch) -> bytes:
    lines = [line for hunk in file.hunks for line in hunk.lines]
    if len(file.hunks) > 1 or any(line.mark != b"+" and line.text.strip() for line in lines):
        raise patch_error(
            f"the patch creates {file.path} but contains lines without +",
            "write every line of a new file with +, in one hunk",
            path=file.path,
        )
    written = (line for hunk in file.hunks for line in hunk.readings[-1].lines)
    return b"".join(line.text + (b"" if line.bare else b"\n") for line in written)


def group_pieces(file: FilePatch) -> list[tuple[Piece, ...]]:
    """Group the pieces into edits: each handwritten piece is an edit that sees the one before."""
    if file.by_hand:
        return [(piece,) for piece in file.pieces]
    return [file.pieces] if file.pieces else []


def is_change(piece: Piece) -> bool:
    return not isinstance(piece, Hunk) or piece.changes


def with_current_numbers(file: FilePatch, again: bool) -> FilePatch:
    if not again:
        return file
    pieces = (
        msgspec.structs.replace(piece, is_current=True) if isinstance(piece, Hunk) else piece
        for piece in file.pieces
    )
    return msgspec.structs.replace(file, pieces=tuple(pieces))


def apply_to_bytes(file: FilePatch, path: str, raw: bytes) -> bytes:
    """Apply the patch to ``raw`` bytes, independent of their encoding."""
    if file.content is not None:
        return diff_hunks.apply_binary(file.content, raw)
    document = Document(raw, BYTES, b"", raw)
    source = Source(path, document, document, None)
    return splice.apply(raw, make_edit(file.pieces, source).splices)


def require_all_lines(file: FilePatch, path: str, raw: bytes) -> None:
    """Raise ``patch_failed`` if a patch that deletes a file does not show all its lines."""
    if file.content is None and file.hunks and apply_to_bytes(file, path, raw):
        raise patch_error(
            f"the patch deletes {path} but does not show all its lines",
            "show every line of the file with -, or use the remove operation",
            path=path,
        )


def applies_to_whole_file(file: FilePatch, path: str, raw: bytes) -> bool:
    """Return True if the patch is about the file as a whole or its bytes, not places in its text.

    Git's diffs show a byte order mark as part of the first line, and bytes that are not UTF-8 unchanged.
    """
    if file.content is not None or not file.pieces:
        return True
    document = read_document(path, raw)
    if not document.bom and document.encoding == "utf-8":
        return False
    return any(needs_bytes(line.text) for hunk in file.hunks for line in hunk.lines)


def needs_bytes(text: bytes) -> bool:
    """Return True if a line of a diff can only be meant as bytes."""
    if text.startswith(codecs.BOM_UTF8):
        return True
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False
