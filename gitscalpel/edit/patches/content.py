"""What a patch makes of a file's content as a whole: created, deleted, replaced, or judged as bytes."""

from __future__ import annotations

import codecs

import msgspec

from gitscalpel.edit.patches import binary, place
from gitscalpel.edit.patches.form import FilePatch
from gitscalpel.edit.patches.pieces import Hunk, Piece
from gitscalpel.edit.patches.refusals import failed
from gitscalpel.edit.source import Source
from gitscalpel.syntax.languages import document
from gitscalpel.text import splice
from gitscalpel.text.document import BYTES, Document


def created(file: FilePatch) -> bytes:
    """The content of a file that the patch creates.

    Raises:
        DoesNotFit: ``patch_failed``, if it claims old lines.
    """
    if file.hunks:
        return _written(file)
    source = Source.read(file.path, b"" if file.content is None else binary.content(file.content, b""))
    for pieces in grouped(file):
        source = source.edited(place.edit(pieces, source))
    return source.document.raw


def _written(file: FilePatch) -> bytes:
    """The new lines of the one hunk that a new file has."""
    lines = [line for hunk in file.hunks for line in hunk.lines]
    if len(file.hunks) > 1 or any(line.mark != b"+" and line.text.strip() for line in lines):
        raise failed(
            f"the patch creates {file.path} and shows lines that are not new",
            "write every line of a new file with +, in one hunk",
            path=file.path,
        )
    said = (line for hunk in file.hunks for line in hunk.readings[-1].lines)
    return b"".join(line.text + (b"" if line.bare else b"\n") for line in said)


def grouped(file: FilePatch) -> list[tuple[Piece, ...]]:
    """The pieces that make one edit each: those written by hand see the one before."""
    if file.by_hand:
        return [(piece,) for piece in file.pieces]
    return [file.pieces] if file.pieces else []


def changes(piece: Piece) -> bool:
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


def patched(file: FilePatch, path: str, raw: bytes) -> bytes:
    """``raw`` with the patch applied to its bytes, whatever they are encoded in."""
    if file.content is not None:
        return binary.content(file.content, raw)
    read = Document(raw, BYTES, b"", raw)
    source = Source(path, read, read, None)
    return splice.apply(raw, place.edit(file.pieces, source).splices)


def refuse_rest(file: FilePatch, path: str, raw: bytes) -> None:
    """Refuse to delete a file of which the patch does not show every line.

    Raises:
        DoesNotFit: ``patch_failed``.
    """
    if file.content is None and file.hunks and patched(file, path, raw):
        raise failed(
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
