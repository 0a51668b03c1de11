"""Changed files as rows and as one unified diff, with renames detected.

The removed and added lines are those of ``git diff``, but hunk headers do not name the enclosing function.
The verdict on a change must not depend on how it was made, so a moved file, and a file that was written again
at another path, are the same change. A copy is a new file.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from io import BytesIO
from typing import Literal

import msgspec

from gitscalpel.changesets.answers import FileRow, quote_c_style, quote_path
from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, Change, Changes, Entry, Oid
from gitscalpel.edit.outcome import Outcome
from gitscalpel.syntax.languages import Language, read_document, recognise
from gitscalpel.text.document import Document
from gitscalpel.text.line_diff import Range, diff_lines

CONTEXT = 3


class CountedDiff(msgspec.Struct, frozen=True):
    """The hunks of a diff, and the numbers of added and removed lines."""

    hunks: str
    added: int
    removed: int


def diff_texts(before: bytes, after: bytes) -> CountedDiff:
    """Return the diff from ``before`` to ``after``; bytes that are not UTF-8 are shown as U+FFFD."""
    old, new = _split_rows(before), _split_rows(after)
    changes = diff_lines(old, new)
    rows: list[str] = []
    for group in _iter_groups(changes):
        rows += _iter_hunk_rows(old, new, group)
    return CountedDiff(
        "".join(rows), sum(d - c for _, _, c, d in changes), sum(b - a for a, b, _, _ in changes)
    )


def _split_rows(text: bytes) -> list[bytes]:
    return BytesIO(text).readlines()


def _iter_groups(ranges: list[Range]) -> Iterator[list[Range]]:
    group: list[Range] = []
    for change in ranges:
        if group and change[0] - group[-1][1] > 2 * CONTEXT:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _iter_hunk_rows(old: list[bytes], new: list[bytes], group: list[Range]) -> Iterator[str]:
    first, last = group[0], group[-1]
    old_start, new_start = max(0, first[0] - CONTEXT), max(0, first[2] - CONTEXT)
    new_start = first[2] - (first[0] - old_start)
    old_end = min(len(old), last[1] + CONTEXT)
    new_end = last[3] + (old_end - last[1])
    yield f"@@ -{_format_range(old_start, old_end)} +{_format_range(new_start, new_end)} @@\n"
    row = old_start
    for a, b, c, d in group:
        yield from (_format_row(" ", line) for line in old[row:a])
        yield from (_format_row("-", line) for line in old[a:b])
        yield from (_format_row("+", line) for line in new[c:d])
        row = b
    yield from (_format_row(" ", line) for line in old[row:old_end])


def _format_range(start: int, end: int) -> str:
    length = end - start
    return f"{start + 1 if length else start}" + (f",{length}" if length != 1 else "")


def _format_row(sign: str, line: bytes) -> str:
    text = sign + line.decode("utf-8", "replace")
    return text if line.endswith(b"\n") else f"{text}\n\\ No newline at end of file\n"


_SPECIAL = re.compile(r'[\x00-\x1f\x7f"\\\ud800-\udfff]')


class UnifiedDiff(msgspec.Struct, frozen=True):
    """Changed files: one row for each, and one diff of all."""

    rows: tuple[FileRow, ...]
    diff: str


def describe_changes(changes: Changes) -> UnifiedDiff:
    rows, pieces = [], []
    for change in changes:
        hunks, added, removed = _format_hunks(change, changes.before(change), changes.after(change))
        rows.append(
            FileRow(
                path=quote_path(change.path),
                status=_status_of(change),
                before=change.old.oid if change.old else None,
                after=change.new.oid if change.new else None,
                added=added,
                removed=removed,
            )
        )
        pieces += [_format_header(change), hunks]
    return UnifiedDiff(tuple(rows), "".join(pieces))


def _quote_name(name: str) -> str:
    return quote_c_style(name) if _SPECIAL.search(name) else name


def _status_of(change: Change) -> Literal["added", "modified", "deleted"]:
    return "added" if change.old is None else "deleted" if change.new is None else "modified"


def _format_hunks(change: Change, before: bytes, after: bytes) -> tuple[str, int, int]:
    old, new = read_document(change.path, before), read_document(change.path, after)
    if old.is_binary or new.is_binary:
        return "Binary files differ\n" if before != after else "", 0, 0
    counted = diff_texts(_text_for_diff(old), _text_for_diff(new))
    if not counted.hunks and before != after:  # in another encoding the same
        return "Binary files differ\n", 0, 0
    names = (
        "/dev/null" if change.old is None else _quote_name(f"a/{change.path}"),
        "/dev/null" if change.new is None else _quote_name(f"b/{change.path}"),
    )
    header = f"--- {names[0]}\n+++ {names[1]}\n" if counted.hunks else ""
    return header + counted.hunks, counted.added, counted.removed


def _text_for_diff(document: Document) -> bytes:
    """Return the text as git diffs it: with the byte order mark in the first line."""
    return BOM_UTF8 + document.text if document.bom else document.text


def _format_header(change: Change) -> str:
    lines = [f"diff --git {_quote_name('a/' + change.path)} {_quote_name('b/' + change.path)}"]
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


_ENOUGH = 0.5  # share of common lines of a renamed file, as git's default
_MOST = 10_000  # Pairs that are compared by their lines. With more, only unchanged files are followed.


class Renames:
    """Renamed files; a removed file is matched with one new file at most, in the same language."""

    def __init__(self, outcome: Outcome) -> None:
        self._overlay = outcome.overlay
        self._changes = outcome.changes

    def before(self, path: str) -> bytes | None:
        """Return the old content of a file, at its own or its former path, or None if it is new."""
        if _is_file(self._overlay.below.entry(path)):
            return self._overlay.before(path)
        origin = self.origins.get(path)
        return None if origin is None else self._overlay.before(origin)

    @cached_property
    def origins(self) -> dict[str, str]:
        deleted = [each for each in self._changes if each.new is None and _is_file(each.old)]
        added = [each for each in self._changes if _is_file(each.new) and not _is_file(each.old)]
        origins: dict[str, str] = {}
        for pairs in (self._iter_identical(deleted, added), self._iter_similar(deleted, added, origins)):
            for _, old, path in sorted(pairs):
                if path not in origins and old not in origins.values():
                    origins[path] = old
        return origins

    def _iter_identical(self, deleted: list[Change], added: list[Change]) -> Iterator[tuple[float, str, str]]:
        by_id: dict[Oid | None, list[str]] = {}
        for each in deleted if added else ():
            by_id.setdefault(_oid_of(each.old), []).append(each.path)
        for each in added:
            for old in by_id.get(_oid_of(each.new), ()):
                if self._language_of(old) == self._language_of(each.path):
                    yield 0, old, each.path

    def _iter_similar(
        self, deleted: list[Change], added: list[Change], origins: dict[str, str]
    ) -> Iterator[tuple[float, str, str]]:
        old_paths = [each.path for each in deleted if each.path not in origins.values()]
        paths = [each.path for each in added if each.path not in origins]
        if len(old_paths) * len(paths) > _MOST:
            return
        lines_by_path = {old: _count_lines(self._overlay.before(old)) for old in old_paths} if paths else {}
        for path in paths if old_paths else ():
            new_lines = _count_lines(self._overlay.content(path))
            for old, old_lines in lines_by_path.items():
                share = (old_lines & new_lines).total() / max(old_lines.total(), new_lines.total(), 1)
                if share >= _ENOUGH and self._language_of(old) == self._language_of(path):
                    yield -share, old, path

    def _language_of(self, path: str) -> Language | None:
        text = self._overlay.content(path)
        return recognise(path, self._overlay.before(path) or b"" if text is None else text)


def _is_file(entry: Entry | None) -> bool:
    return entry is not None and entry.mode in (REGULAR, EXECUTABLE)


def _oid_of(entry: Entry | None) -> Oid | None:
    return entry.oid if entry else None


def _count_lines(text: bytes | None) -> Counter[bytes]:
    return Counter((text or b"").split(b"\n"))
