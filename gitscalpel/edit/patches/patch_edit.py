"""The edit or the new content that a patch makes of one file.

Pieces are placed by ``piece_placement.py``, ``hunk_search.py`` and ``file_sketch.py``. A patch may also
create, delete or replace a file as a whole, or apply to its bytes.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from gitscalpel.edit.find_replace import OVER_SCOPED, find_harm
from gitscalpel.edit.patches import file_sketch, piece_placement
from gitscalpel.edit.patches.formats import diff_hunks
from gitscalpel.edit.patches.formats.patch_errors import no_change_error, patch_error
from gitscalpel.edit.patches.formats.patch_model import FilePatch, Hunk, Passage, Piece, Rows, Sketch, Span
from gitscalpel.edit.patches.hunk_search import HunkSearch
from gitscalpel.edit.patches.piece_placement import EXACT, PlacedPiece
from gitscalpel.edit.patches.placement_errors import edits_overlap, passage_over_scoped
from gitscalpel.edit.source import Edit, Source
from gitscalpel.errors import DoesNotFit, ScalpelError
from gitscalpel.syntax.languages import document
from gitscalpel.text import splice
from gitscalpel.text.document import BYTES, Document
from gitscalpel.text.fuzzy_match import BY_LINES
from gitscalpel.text.splice import Splice

_PLACES: dict[type[Piece], Callable[[Any, Source], PlacedPiece]] = {
    Passage: piece_placement.place_passage,
    Rows: piece_placement.place_rows,
    Span: piece_placement.place_span,
    Sketch: file_sketch.place_sketch,
}


def make_edit(pieces: Sequence[Piece], source: Source, *, is_exempt: bool = True) -> Edit:
    """All ``pieces`` as one edit of ``source``, each looked up in its text as it is.

    Args:
        pieces: in any order; where several begin at one position, they are made in this one.
        source: the file.
        is_exempt: where all old text fits exactly, the structure gate judges the edit only if it is strict.

    Raises:
        DoesNotFit: ``patch_failed`` or ``ambiguous`` if one does not fit, or ``no_change`` if nothing
            comes of them.
        WorldMoved: ``stale``.
    """
    placed = place_pieces(pieces, source)
    made = sorted((splice for each in placed for splice in each.splices), key=lambda splice: splice.start)
    if any(before.end > after.start for before, after in pairwise(made)):
        raise _overlapping(pieces, placed, source)
    made = [splice for splice in made if source.text[splice.start : splice.end] != splice.new]
    if not made:
        (piece, *more) = pieces
        raise no_change_error(source.path, "the patch" if more else f"{_label(piece)} of the patch")
    forgiven = list(dict.fromkeys(each.strategy for each in placed if each.strategy != EXACT))
    if any(strategy in BY_LINES for strategy in forgiven):
        _refuse_harm(source, placed, made)
    return Edit(
        tuple(made),
        target=(made[0].start, made[-1].end),
        matched=", ".join(forgiven) or None,
        corrections=tuple(note for each in placed for note in each.notes),
        replaced=(b"\n".join(each.old for each in placed),),
        inserted=(b"\n".join(each.new for each in placed),),
        is_exempt=is_exempt and not forgiven,
    )


def place_pieces(pieces: Sequence[Piece], source: Source) -> list[PlacedPiece]:
    """Where each of ``pieces`` stands in the text of ``source`` as it is.

    Raises:
        DoesNotFit: ``patch_failed`` or ``ambiguous``.
        WorldMoved: ``stale``.
    """
    hunks = HunkSearch(source, [piece for piece in pieces if isinstance(piece, Hunk)])
    return [_placed(piece, hunks) for piece in pieces]


def _refuse_harm(source: Source, placed: Sequence[PlacedPiece], made: Sequence[Splice]) -> None:
    """What white space is forgiven may not be paid for with the file's syntax, or many of its lines."""
    for each in placed:
        old, new = (text.count(b"\n") + 1 if text else 0 for text in (each.old, each.new))
        if each.strategy in BY_LINES and old >= OVER_SCOPED and 2 * new < old:
            raise passage_over_scoped(source.path, old, new)
    harm = find_harm(source, tuple(made))
    if harm:
        forgiven = ", ".join(dict.fromkeys(each.strategy for each in placed if each.strategy in BY_LINES))
        raise patch_error(
            f"the old text for {source.path} fits only by forgiving ({forgiven}), "
            f"and the result would {harm}",
            "copy the old text as it stands in the file, and check that the new one is complete",
            path=source.path,
        )


def _label(piece: Piece) -> str:
    return f"{'hunk' if isinstance(piece, Hunk) else 'edit'} {piece.index}"


def _placed(piece: Piece, hunks: HunkSearch) -> PlacedPiece:
    """``piece`` at its place; a refusal says which piece of which file it is about."""
    try:
        return hunks.place(piece) if isinstance(piece, Hunk) else _PLACES[type(piece)](piece, hunks.source)
    except ScalpelError as error:
        here = {"path": hunks.source.path, "hunk" if isinstance(piece, Hunk) else "edit": piece.index}
        raise error.but(**{**here, **error.data}) from error


def _overlapping(pieces: Sequence[Piece], placed: Sequence[PlacedPiece], source: Source) -> DoesNotFit:
    found = [(s, piece.index) for piece, each in zip(pieces, placed, strict=True) for s in each.splices]
    found.sort(key=lambda each: each[0].start)
    (_, first), (second, last) = next((a, b) for a, b in pairwise(found) if a[0].end > b[0].start)
    return edits_overlap(source, first, last, second.start)


def refuse_contradicting(pieces: Sequence[Piece], source: Source) -> None:
    """Refuse pieces that were written for one file and cannot both be meant, though each would fit.

    Raises:
        DoesNotFit: ``patch_failed``.
    """
    piece_placement.refuse_overlapping([piece for piece in pieces if isinstance(piece, Passage)], source)


def created_content(file: FilePatch) -> bytes:
    """The content of a file that the patch creates.

    Raises:
        DoesNotFit: ``patch_failed``, if it claims old lines.
    """
    if file.hunks:
        return _written(file)
    source = Source.read(
        file.path, b"" if file.content is None else diff_hunks.apply_binary(file.content, b"")
    )
    for pieces in group_pieces(file):
        source = source.edited(make_edit(pieces, source))
    return source.document.raw


def _written(file: FilePatch) -> bytes:
    """The new lines of the one hunk that a new file has."""
    lines = [line for hunk in file.hunks for line in hunk.lines]
    if len(file.hunks) > 1 or any(line.mark != b"+" and line.text.strip() for line in lines):
        raise patch_error(
            f"the patch creates {file.path} and shows lines that are not new",
            "write every line of a new file with +, in one hunk",
            path=file.path,
        )
    said = (line for hunk in file.hunks for line in hunk.readings[-1].lines)
    return b"".join(line.text + (b"" if line.bare else b"\n") for line in said)


def group_pieces(file: FilePatch) -> list[tuple[Piece, ...]]:
    """The pieces that make one edit each: those written by hand see the one before."""
    if file.by_hand:
        return [(piece,) for piece in file.pieces]
    return [file.pieces] if file.pieces else []


def is_change(piece: Piece) -> bool:
    """Whether a piece says more than where some lines stand."""
    return not isinstance(piece, Hunk) or piece.changes


def counted(file: FilePatch, again: bool) -> FilePatch:
    """``file``, whose numbers may count what the patch has left if it is ``again`` about the same file."""
    if not again:
        return file
    pieces = (
        msgspec.structs.replace(piece, is_current=True) if isinstance(piece, Hunk) else piece
        for piece in file.pieces
    )
    return msgspec.structs.replace(file, pieces=tuple(pieces))


def patch_bytes(file: FilePatch, path: str, raw: bytes) -> bytes:
    """``raw`` with the patch applied to its bytes, whatever they are encoded in."""
    if file.content is not None:
        return diff_hunks.apply_binary(file.content, raw)
    read = Document(raw, BYTES, b"", raw)
    source = Source(path, read, read, None)
    return splice.apply(raw, make_edit(file.pieces, source).splices)


def refuse_rest(file: FilePatch, path: str, raw: bytes) -> None:
    """Refuse to delete a file of which the patch does not show every line.

    Raises:
        DoesNotFit: ``patch_failed``.
    """
    if file.content is None and file.hunks and patch_bytes(file, path, raw):
        raise patch_error(
            f"the patch deletes {path}, but the file holds more than it shows",
            "show every line of the file with -, or use the remove operation",
            path=path,
        )


def is_new(file: FilePatch) -> bool:
    """Whether the patch changes the content at all, and not only its name or mode."""
    return file.content is not None or bool(file.pieces)


def is_whole(file: FilePatch, path: str, raw: bytes) -> bool:
    """Whether the patch means the file as a whole, or its bytes, and not places in its text.

    Git's diffs show a byte order mark as part of the first line, and what is not UTF-8 as it is.
    """
    if file.content is not None or not file.pieces:
        return True
    read = document(path, raw)
    if not read.bom and read.encoding == "utf-8":
        return False
    return any(is_foreign(line.text) for hunk in file.hunks for line in hunk.lines)


def is_foreign(text: bytes) -> bool:
    """Whether a line of a diff can only be meant as bytes."""
    if text.startswith(codecs.BOM_UTF8):
        return True
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False
