"""Changed files as rows and as one unified diff with git's extended headers."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from typing import Literal

import msgspec

from gitscalpel.changesets.answers import FileRow, escaped, quoted
from gitscalpel.changesets.file_tree import Change, Changes
from gitscalpel.syntax.languages import document
from gitscalpel.text.diff import diff
from gitscalpel.text.document import Document

_SPECIAL = re.compile(r'[\x00-\x1f\x7f"\\\ud800-\udfff]')


class Patch(msgspec.Struct, frozen=True):
    """Changed files: a row for each, and all of them as one diff."""

    rows: tuple[FileRow, ...]
    diff: str


def patch(changes: Changes) -> Patch:
    """Describe ``changes``."""
    rows, pieces = [], []
    for change in changes:
        hunks, added, removed = _hunks(change, changes.before(change), changes.after(change))
        rows.append(
            FileRow(
                path=quoted(change.path),
                status=_status(change),
                before=change.old.oid if change.old else None,
                after=change.new.oid if change.new else None,
                added=added,
                removed=removed,
            )
        )
        pieces += [_header(change), hunks]
    return Patch(tuple(rows), "".join(pieces))


def _in_header(name: str) -> str:
    """A name as the headers of a diff hold it: quoted as a whole if a character in it would end it."""
    return escaped(name) if _SPECIAL.search(name) else name


def _status(change: Change) -> Literal["added", "modified", "deleted"]:
    return "added" if change.old is None else "deleted" if change.new is None else "modified"


def _hunks(change: Change, before: bytes, after: bytes) -> tuple[str, int, int]:
    old, new = document(change.path, before), document(change.path, after)
    if old.is_binary or new.is_binary:
        return "Binary files differ\n" if before != after else "", 0, 0
    counted = diff(_shown(old), _shown(new))
    if not counted.hunks and before != after:  # in another encoding the same
        return "Binary files differ\n", 0, 0
    names = (
        "/dev/null" if change.old is None else _in_header(f"a/{change.path}"),
        "/dev/null" if change.new is None else _in_header(f"b/{change.path}"),
    )
    head = f"--- {names[0]}\n+++ {names[1]}\n" if counted.hunks else ""
    return head + counted.hunks, counted.added, counted.removed


def _shown(document: Document) -> bytes:
    """The text as a diff holds it: a byte order mark is part of the first line, as it is to git."""
    return BOM_UTF8 + document.text if document.bom else document.text


def _header(change: Change) -> str:
    lines = [f"diff --git {_in_header('a/' + change.path)} {_in_header('b/' + change.path)}"]
    old, new = change.old, change.new
    if old is None and new is not None:
        lines.append(f"new file mode {new.mode}")
    elif new is None and old is not None:
        lines.append(f"deleted file mode {old.mode}")
    elif old is not None and new is not None and old.mode != new.mode:
        lines += [f"old mode {old.mode}", f"new mode {new.mode}"]
    same_mode = f" {new.mode}" if old and new and old.mode == new.mode else ""
    ids = "..".join(entry.oid[:12] if entry else "0" * 12 for entry in (old, new))
    lines.append(f"index {ids}{same_mode}")
    return "\n".join(lines) + "\n"
