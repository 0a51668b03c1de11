"""The answer: what changed, as data; and the envelope that every command's answer comes in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from gitscalpel.errors import ScalpelError
from gitscalpel.paths import ESCAPES
from gitscalpel.snapshot import Entry
from gitscalpel.text.diff import diff
from gitscalpel.text.document import Document

SCHEMA = "scalpel/1"
_NO_UTF8 = re.compile(r"[\ud800-\udfff]")
_SPECIAL = re.compile(r'[\x00-\x1f\x7f"\\\ud800-\udfff]')


class FileChange(NamedTuple):
    """One file before and after; an entry of None is a file that is not there."""

    path: str
    old: Entry | None
    new: Entry | None
    before: bytes
    after: bytes


def success(
    command: str, data: Any, warnings: Iterable[str] = (), following: Iterable[str] = ()
) -> dict[str, Any]:
    """The envelope of a success; ``following`` are the commands that make sense next."""
    return {
        "schema": SCHEMA,
        "ok": True,
        "command": command,
        "data": data,
        "warnings": list(warnings),
        "next": list(following),
    }


def failure(command: str, error: ScalpelError) -> dict[str, Any]:
    """The envelope of a refusal or failure."""
    said: dict[str, Any] = {
        "code": error.code,
        "message": error.message,
        "hint": error.hint,
        "retryable": error.retryable,
        "data": error.data,
    }
    if error.op is not None:
        said["op"] = error.op
    return {"schema": SCHEMA, "ok": False, "command": command, "error": said}


def file_rows(changes: Iterable[FileChange]) -> tuple[list[dict[str, Any]], str]:
    """The ``files`` of an answer, and the whole as one unified diff."""
    rows, pieces = [], []
    for change in changes:
        hunks, added, removed = _hunks(change)
        status = "added" if change.old is None else "deleted" if change.new is None else "modified"
        rows.append(
            {
                "path": quoted(change.path),
                "status": status,
                "before": change.old.oid if change.old else None,
                "after": change.new.oid if change.new else None,
                "added": added,
                "removed": removed,
            }
        )
        pieces += [_header(change), hunks]
    return rows, "".join(pieces)


def quoted(path: str) -> str:
    """A path as JSON can hold it: one that is not UTF-8 is written as git quotes it."""
    return _quoted(path) if _NO_UTF8.search(path) else path


def _quoted(name: str) -> str:
    raw = name.encode("utf-8", "surrogateescape")
    return '"' + "".join(map(_escaped, raw)) + '"'


def _escaped(byte: int) -> str:
    if byte in ESCAPES:
        return "\\" + ESCAPES[byte]
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


def _in_header(name: str) -> str:
    """A name as the headers of a diff hold it: quoted as a whole if a character in it would end it."""
    return _quoted(name) if _SPECIAL.search(name) else name


def subject(message: str) -> str:
    """The first line of a commit message."""
    return message.partition("\n")[0]


def clean(value: Any) -> Any:
    """``value`` with every text as JSON can hold it: bytes that are no UTF-8 become U+FFFD."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if isinstance(value, Mapping):
        return {clean(key): clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(item) for item in value]
    return value


def _hunks(change: FileChange) -> tuple[str, int, int]:
    old, new = Document.read(change.before), Document.read(change.after)
    if old.is_binary or new.is_binary:
        return "Binary files differ\n" if change.before != change.after else "", 0, 0
    hunks, added, removed = diff(old.text, new.text)
    names = (
        "/dev/null" if change.old is None else _in_header(f"a/{change.path}"),
        "/dev/null" if change.new is None else _in_header(f"b/{change.path}"),
    )
    return (f"--- {names[0]}\n+++ {names[1]}\n{hunks}" if hunks else ""), added, removed


def _header(change: FileChange) -> str:
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
