"""Write, copy and move whole files."""

from __future__ import annotations

import base64
import binascii

from gitscalpel.changesets import paths
from gitscalpel.changesets.file_tree import REGULAR, TREE, Entry, Overlay
from gitscalpel.changesets.operations import CopyFile, MoveFile, Write
from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.errors.messages import arg, call, place
from gitscalpel.syntax.languages import document
from gitscalpel.text.document import BYTES, Document


def write_file(op: Write, path: str, snapshot: Overlay) -> Entry:
    """What is to stand at ``path``: a new file, or one in another's place where ``overwrite`` says so.

    Raises:
        DoesNotFit: ``exists``, ``not_a_file``, ``no_change`` or ``unencodable``.
        BadCall: ``invalid_args``: it names a folder, or its bytes are none.
    """
    entry = _standing(path, snapshot)
    hint = "name the file in it; the folder is made with it"
    paths.refuse_folder(op.path, path, "write makes a file", hint)
    if entry is not None and not op.overwrite:
        raise DoesNotFit(
            "exists",
            f"{path} exists already",
            f"give {arg('overwrite')} to replace it whole, or edit it with replace, text or lines",
            retry={"overwrite": True},
        )
    content = _content(op, path)
    made = snapshot.holding(op.mode or (entry.mode if entry is not None else REGULAR), content)
    if made == entry:
        raise DoesNotFit("no_change", f"{path} has exactly this content already", "nothing is left to do")
    return made


def destination(op: CopyFile, path: str, snapshot: Overlay) -> str:
    """Where a file goes, in which place nothing may stand.

    Raises:
        DoesNotFit: ``exists``, ``not_a_file`` or ``no_change``.
    """
    to = paths.resolve(op.to, snapshot)
    if to == path:
        raise DoesNotFit("no_change", f"{path} is there already", f"give another path as {arg('to')}")
    inside = f"{to}/{path.rpartition('/')[2]}"
    left = snapshot.without([path]) if isinstance(op, MoveFile) else snapshot
    if _standing(to, left, inside) is not None:
        raise DoesNotFit(
            "exists",
            f"{to} exists already",
            f"remove it first: {call('rm', path=to)}; in a changeset, with an operation remove",
            path=to,
        )
    return to


def require_free(path: str, snapshot: Overlay) -> None:
    """Refuse to put a new file where something is, or below a file.

    Raises:
        DoesNotFit: ``exists`` or ``not_a_file``.
    """
    if _standing(path, snapshot) is not None:
        raise DoesNotFit(
            "exists", f"{path} exists already", "send a patch that edits it, or remove it first", path=path
        )


def _standing(path: str, snapshot: Overlay, inside: str = "") -> Entry | None:
    """The file at ``path``, if a file can be there; a folder of which all files are gone is no more."""
    _refuse_file_as_folder(path, snapshot)
    entry = snapshot.entry(path)
    if entry is None or entry.mode != TREE:
        return entry
    if any(snapshot.under(path)):
        hint = "name a file in it" + (f", such as {place(inside)}" if inside else "")
        retry = {"retry": {"to": inside}} if inside else {}
        raise DoesNotFit("not_a_file", f"{path} is a folder", hint, path=path, **retry)
    return None


def _content(op: Write, path: str) -> bytes:
    if op.content is not None:
        return _spelt(path, op.content.encode("utf-8", "surrogateescape"))
    try:
        return base64.b64decode(op.content_b64 or "", validate=True)
    except binascii.Error as error:
        raise BadCall(
            "invalid_args", f"content_b64 is not base64: {error}", "encode the bytes with base64"
        ) from None


def _spelt(path: str, text: bytes) -> bytes:
    """``text``, which came in UTF-8, in the encoding that it says; bytes that are no UTF-8 came in it."""
    said = document(path, text)
    if said.encoding in ("utf-8", BYTES) or said.bom or Document.read(text).encoding == BYTES:
        return text
    return said.with_text(text).raw


def _refuse_file_as_folder(path: str, snapshot: Overlay) -> None:
    parts = path.split("/")
    for depth in range(1, len(parts)):
        parent = "/".join(parts[:depth])
        entry = snapshot.entry(parent)
        if entry is not None and entry.mode != TREE:
            raise DoesNotFit(
                "not_a_file", f"{parent} is a file, so nothing can be below it", "choose another path"
            )
