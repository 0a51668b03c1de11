"""Pieces of patches that say by a number alone where they belong.

They fit anywhere, so nothing shows that whoever wrote them counted in another version of the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.changesets.operations import Patch
from gitscalpel.edit.patches import targets
from gitscalpel.edit.patches.form import FilePatch
from gitscalpel.edit.patches.pieces import Hunk, Piece, Rows, Span
from gitscalpel.edit.patches.recognise import read
from gitscalpel.text.document import Document


def files(op: Patch, before: Overlay, roots: Sequence[str] = ()) -> Iterator[FilePatch]:
    """What a patch does to files of which it does not say by a blob id which version it means.

    Args:
        op: the patch.
        before: the files as they are before it.
        roots: folders on the disk whose files absolute names mean.

    Raises:
        ScalpelError: if it cannot be read.
    """
    for file in targets.meant(read(op.diff, op.path), roots, before):
        if file.kind == "edit" and not (file.base or file.blobs):
            yield file


def line(piece: Piece, document: Document) -> int | None:
    """The line, from 1, at which nothing but a number puts ``piece``; None if it shows what stands there.

    Raises:
        DoesNotFit: ``patch_failed``, for a position that ``document`` does not have.
    """
    if isinstance(piece, Hunk):
        return None if piece.old or piece.opens or piece.number is None else max(1, piece.number)
    if isinstance(piece, Rows) and piece.seen is None and piece.shown is None:
        return max(1, min(piece.first, piece.last))
    if isinstance(piece, Span) and piece.shown is None:
        return document.line_at(piece.start.offset(document, f"edit {piece.index}"))
    return None
