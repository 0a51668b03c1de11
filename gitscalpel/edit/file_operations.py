"""Write, copy and move whole files, and follow a moved file to its first path.

A caller may rename a module to ``a.txt``, edit its text and rename it back. So transactions record the first
path, and the structure gate checks the result in the language of that path.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator, Mapping

from gitscalpel.changesets import paths
from gitscalpel.changesets.file_tree import (
    REGULAR,
    SUBMODULE,
    SYMLINK,
    TREE,
    Entry,
    FileOrigin,
    Overlay,
    Snapshot,
)
from gitscalpel.changesets.operations import CopyFile, MoveFile, Write
from gitscalpel.edit.source import Edit, Source
from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.errors.messages import arg, call, place
from gitscalpel.syntax.languages import Language, read_document, recognise
from gitscalpel.text.document import BYTES, Document
from gitscalpel.text.line_diff import diff_lines
from gitscalpel.text.merge3 import split_lines
from gitscalpel.text.splice import Splice


def write_file(op: Write, path: str, snapshot: Overlay) -> Entry:
    """Return the new content of ``path``: a new file, or with ``overwrite`` in place of another.

    Raises ``exists``, ``not_a_file``, ``no_change``, ``unencodable``, or ``invalid_args`` if the path is a
    folder or the content cannot be decoded.
    """
    entry = _find_entry(path, snapshot)
    hint = "name a file in it; the folder is created as well"
    paths.require_no_trailing_slash(op.path, path, "write makes a file", hint)
    if entry is not None and not op.overwrite:
        raise DoesNotFit(
            "exists",
            f"{path} already exists",
            f"give {arg('overwrite')} to replace the whole file, or edit it: `replace`, `text` or `lines`",
            retry={"overwrite": True},
        )
    content = _decode_content(op, path)
    new_entry = snapshot.holding(op.mode or (entry.mode if entry is not None else REGULAR), content)
    if new_entry == entry:
        raise DoesNotFit("no_change", f"{path} already has exactly this content", "nothing is left to do")
    return new_entry


def resolve_destination(op: CopyFile, path: str, snapshot: Overlay) -> str:
    """Return the target path of a copy or move, or raise ``exists``, ``not_a_file`` or ``no_change``."""
    to = paths.resolve_path(op.to, snapshot)
    if to == path:
        raise DoesNotFit(
            "no_change",
            f"source and destination are the same file: {path}",
            f"give another path as {arg('to')}",
        )
    inside = f"{to}/{path.rpartition('/')[2]}"
    remaining = snapshot.without([path]) if isinstance(op, MoveFile) else snapshot
    if _find_entry(to, remaining, inside) is not None:
        raise DoesNotFit(
            "exists",
            f"{to} already exists",
            f"remove it first: {call('rm', path=to)}; in a changeset, with a remove operation",
            path=to,
        )
    return to


def require_free(path: str, snapshot: Overlay) -> None:
    """Raise ``exists`` or ``not_a_file`` if a file is at the path or at one of its parents."""
    if _find_entry(path, snapshot) is not None:
        raise DoesNotFit(
            "exists", f"{path} already exists", "send a patch that edits it, or remove it first", path=path
        )


def _find_entry(path: str, snapshot: Overlay, inside: str = "") -> Entry | None:
    """Return the file at ``path``, or None if the path is free; a folder without files does not count."""
    _refuse_file_as_folder(path, snapshot)
    entry = snapshot.entry(path)
    if entry is None or entry.mode != TREE:
        return entry
    if any(snapshot.under(path)):
        hint = "name a file in it" + (f", such as {place(inside)}" if inside else "")
        retry = {"retry": {"to": inside}} if inside else {}
        raise DoesNotFit("not_a_file", f"{path} is a folder", hint, path=path, **retry)
    return None


def _decode_content(op: Write, path: str) -> bytes:
    if op.content is not None:
        return _encode_content(path, op.content.encode("utf-8", "surrogateescape"))
    try:
        return base64.b64decode(op.content_b64 or "", validate=True)
    except binascii.Error as error:
        raise BadCall(
            "invalid_args", f"content_b64 is not base64: {error}", "encode the bytes with base64"
        ) from None


def _encode_content(path: str, text: bytes) -> bytes:
    declared = read_document(path, text)
    if declared.encoding in ("utf-8", BYTES) or declared.bom or Document.read(text).encoding == BYTES:
        return text
    return declared.with_text(text).raw


def _refuse_file_as_folder(path: str, snapshot: Overlay) -> None:
    parts = path.split("/")
    for depth in range(1, len(parts)):
        parent = "/".join(parts[:depth])
        entry = snapshot.entry(parent)
        if entry is not None and entry.mode != TREE:
            raise DoesNotFit("not_a_file", f"{parent} is a file, not a folder", "choose another path")


def origin_after_edit(origin: FileOrigin, source: Source, edit: Edit, first: Snapshot) -> FileOrigin:
    """Return the record of a moved file after ``edit`` of ``source``.

    Even under its first name it may be in another language, if its first line says so.
    """
    if not edit.is_textual or origin.by == "text":
        return origin
    if source.path == origin.origin and _has_definitions(source.language):
        return origin
    before = _read_content(first, origin.origin)
    if before is None or source.language == _recognise_language(origin.origin, before):
        return origin
    return FileOrigin(origin.origin, "exempt" if edit.is_exempt else "text")


def iter_visible_again(
    carried: Mapping[str, FileOrigin], first: Snapshot, overlay: Overlay, read: Callable[[str, bytes], Source]
) -> Iterator[tuple[Source, Edit, Source]]:
    """Yield files whose definitions became visible again, with the total difference as one edit.

    ``carried`` are the moved and copied files, ``first`` the files before all changes.
    """
    for path, origin in sorted(carried.items()):
        before, after = _read_content(first, origin.origin), overlay.content(path)
        if not origin.by or before is None or after is None:
            continue
        if _has_definitions(_recognise_language(origin.origin, before)) and _has_definitions(
            _recognise_language(path, after)
        ):
            source = read(path, before)
            edit = make_difference_edit(
                source.text, read_document(path, after).text, is_exempt=origin.by == "exempt"
            )
            if edit is not None:
                yield source, edit, source.with_edit(edit)


def make_difference_edit(old: bytes, new: bytes, *, is_exempt: bool) -> Edit | None:
    old_lines, new_lines = split_lines(old), split_lines(new)
    starts = [0]
    for line in old_lines:
        starts.append(starts[-1] + len(line))
    splices = tuple(
        Splice(starts[a], starts[b], b"".join(new_lines[c:d]))
        for a, b, c, d in diff_lines(old_lines, new_lines)
    )
    if not splices:
        return None
    return Edit(
        splices,
        target=(splices[0].start, splices[-1].end),
        replaced=tuple(old[each.start : each.end] for each in splices),
        inserted=tuple(each.new for each in splices),
        is_exempt=is_exempt,
    )


def _has_definitions(language: Language | None) -> bool:
    return language is not None and not language.data


def _recognise_language(path: str, content: bytes | None) -> Language | None:
    return None if content is None else recognise(path, content)


def _read_content(snapshot: Snapshot, path: str) -> bytes | None:
    entry = snapshot.entry(path)
    return None if entry is None or entry.mode in (TREE, SYMLINK, SUBMODULE) else snapshot.read(entry.oid)
