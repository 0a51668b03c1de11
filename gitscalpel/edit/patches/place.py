"""Makes one edit of the pieces of a patch; what each kind of piece needs is in ``placing``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from gitscalpel.edit.patches.pieces import Hunk, Passage, Piece, Rows, Sketch, Span
from gitscalpel.edit.patches.placing import passages, rows, sketches, spans
from gitscalpel.edit.patches.placing.hunks import Hunks
from gitscalpel.edit.patches.placing.misfits import overlapping
from gitscalpel.edit.patches.placing.passage_misfits import passage_over_scoped
from gitscalpel.edit.patches.placing.placed import EXACT, Placed
from gitscalpel.edit.patches.refusals import failed, no_change
from gitscalpel.edit.source import Edit, Source
from gitscalpel.edit.texts import OVER_SCOPED, harmed
from gitscalpel.errors import DoesNotFit, ScalpelError
from gitscalpel.text.splice import Splice
from gitscalpel.text.strategies import BY_LINES

_PLACES: dict[type[Piece], Callable[[Any, Source], Placed]] = {
    Passage: passages.place,
    Rows: rows.place,
    Span: spans.place,
    Sketch: sketches.place,
}


def edit(pieces: Sequence[Piece], source: Source, *, is_exempt: bool = True) -> Edit:
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
    placed = places(pieces, source)
    made = sorted((splice for each in placed for splice in each.splices), key=lambda splice: splice.start)
    if any(before.end > after.start for before, after in pairwise(made)):
        raise _overlapping(pieces, placed, source)
    made = [splice for splice in made if source.text[splice.start : splice.end] != splice.new]
    if not made:
        (piece, *more) = pieces
        raise no_change(source.path, "the patch" if more else f"{_label(piece)} of the patch")
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


def places(pieces: Sequence[Piece], source: Source) -> list[Placed]:
    """Where each of ``pieces`` stands in the text of ``source`` as it is.

    Raises:
        DoesNotFit: ``patch_failed`` or ``ambiguous``.
        WorldMoved: ``stale``.
    """
    hunks = Hunks(source, [piece for piece in pieces if isinstance(piece, Hunk)])
    return [_placed(piece, hunks) for piece in pieces]


def _refuse_harm(source: Source, placed: Sequence[Placed], made: Sequence[Splice]) -> None:
    """What white space is forgiven may not be paid for with the file's syntax, or many of its lines."""
    for each in placed:
        old, new = (text.count(b"\n") + 1 if text else 0 for text in (each.old, each.new))
        if each.strategy in BY_LINES and old >= OVER_SCOPED and 2 * new < old:
            raise passage_over_scoped(source.path, old, new)
    harm = harmed(source, tuple(made))
    if harm:
        forgiven = ", ".join(dict.fromkeys(each.strategy for each in placed if each.strategy in BY_LINES))
        raise failed(
            f"the old text for {source.path} fits only by forgiving ({forgiven}), "
            f"and the result would {harm}",
            "copy the old text as it stands in the file, and check that the new one is complete",
            path=source.path,
        )


def _label(piece: Piece) -> str:
    return f"{'hunk' if isinstance(piece, Hunk) else 'edit'} {piece.index}"


def _placed(piece: Piece, hunks: Hunks) -> Placed:
    """``piece`` at its place; a refusal says which piece of which file it is about."""
    try:
        return hunks.place(piece) if isinstance(piece, Hunk) else _PLACES[type(piece)](piece, hunks.source)
    except ScalpelError as error:
        here = {"path": hunks.source.path, "hunk" if isinstance(piece, Hunk) else "edit": piece.index}
        raise error.but(**{**here, **error.data}) from error


def _overlapping(pieces: Sequence[Piece], placed: Sequence[Placed], source: Source) -> DoesNotFit:
    found = [(s, piece.index) for piece, each in zip(pieces, placed, strict=True) for s in each.splices]
    found.sort(key=lambda each: each[0].start)
    (_, first), (second, last) = next((a, b) for a, b in pairwise(found) if a[0].end > b[0].start)
    return overlapping(source, first, last, second.start)


def refuse_contradicting(pieces: Sequence[Piece], source: Source) -> None:
    """Refuse pieces that were written for one file and cannot both be meant, though each would fit.

    Raises:
        DoesNotFit: ``patch_failed``.
    """
    passages.refuse_overlapping([piece for piece in pieces if isinstance(piece, Passage)], source)
