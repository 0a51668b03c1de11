"""Lowers a patch to plain steps: whole files put or removed, and edits inside files.

All files of a patch are read as they were before it, so that a rename may make room for a new file
and two files may change places. What is removed is removed first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gitscalpel import paths
from gitscalpel.edit import stale
from gitscalpel.edit.files import refuse_occupied
from gitscalpel.edit.opening import editable
from gitscalpel.edit.patches import content, place
from gitscalpel.edit.patches.form import FilePatch
from gitscalpel.edit.patches.recognise import read
from gitscalpel.edit.patches.refusals import failed
from gitscalpel.edit.source import Edit, Source
from gitscalpel.errors import BadCall
from gitscalpel.operations import Patch
from gitscalpel.snapshot import EXECUTABLE, REGULAR, SYMLINK, Change, Entry, Oid, Overlay


class Inside(NamedTuple):
    """An edit inside a file, and the mode that the file has afterwards."""

    source: Source
    edit: Edit
    after: Source
    mode: str


def lower(
    op: Patch, before: Overlay, opened: Callable[[str, bytes], Source]
) -> tuple[list[Change], list[Inside]]:
    """What ``op`` does: to whole files, in the order in which it has to be done, and inside files.

    Args:
        op: the patch.
        before: the files as they are before it.
        opened: a file, from its path and content, as earlier operations have left it.

    Raises:
        ScalpelError: the first thing that does not fit; then nothing of the patch happens.
    """
    files = read(op.diff, op.path)
    for path in dict.fromkeys(name for file in files for name in (file.path, file.source)):
        paths.clean(path)
    if op.expect is not None and len(files) > 1:
        raise BadCall(
            "invalid_args",
            "expect is the content hash of one file, and the patch changes several",
            "leave it out: a patch fits only where its old lines stand",
        )
    lowering = _Lowering(op, before, opened)
    for file in files:
        lowering.take(file)
    return lowering.whole(), lowering.inside


class _Lowering:
    """The steps of one patch, while its files are gone through."""

    def __init__(self, op: Patch, before: Overlay, opened: Callable[[str, bytes], Source]) -> None:
        self.op = op
        self.before = before
        self.opened = opened
        self.removed: dict[str, Change] = {}
        self.added: dict[str, Change] = {}
        self.rewritten: dict[str, Change] = {}
        self.inside: list[Inside] = []
        self.latest: dict[str, Source] = {}

    def whole(self) -> list[Change]:
        """The changes of whole files; what is added needs room once the removed files are gone."""
        freed = Overlay(self.before.below, {**self.before.changes, **self.removed})
        for path in self.added:
            refuse_occupied(path, freed)
        gone = [change for path, change in self.removed.items() if path not in self.added]
        return [*gone, *self.added.values(), *self.rewritten.values()]

    def take(self, file: FilePatch) -> None:
        if file.kind == "create":
            self._add(file, file.mode or REGULAR, content.created(file))
            return
        path, entry = self._existing(file)
        _refuse_other_base(file, path, self.before.below.entry(path), entry)
        raw = self.before.content(path) or b""
        if file.kind == "delete":
            content.refuse_rest(file, path, raw)
        if file.kind in ("delete", "rename"):
            self._once(path, self.removed)[path] = Change(path, entry.mode, None)
        if file.kind != "delete":
            self._put(file, path, entry, raw)

    def _put(self, file: FilePatch, path: str, entry: Entry, raw: bytes) -> None:
        """Put a file as it is where it belongs and edit it there, or put it as the patch makes it."""
        mode = _checked_mode(file.mode or entry.mode)
        is_whole = entry.mode == SYMLINK or content.is_whole(file, raw)
        if is_whole or file.kind != "edit":
            stale.check_content(self.op, path, self.before)
        new = (
            content.patched(file, path, raw) if is_whole and content.is_new(file) else self._kept(path, entry)
        )
        if file.kind != "edit":
            path = self._add(file, mode, new)
        elif is_whole:
            self._once(path, self.rewritten)[path] = _checked(Change(path, mode, new))
        if not is_whole and file.kind == "edit":
            self.latest[path] = self._edit(file, self._source(path, raw), mode)
        elif not is_whole:
            self._edit(file, editable(path, raw), mode)

    def _edit(self, file: FilePatch, source: Source, mode: str) -> Source:
        for hunks in [(hunk,) for hunk in file.hunks] if file.by_hand else [file.hunks]:
            edit = place.edit(source.path, hunks, source, is_exempt=not file.by_hand)
            if file.kind == "edit":
                stale.check_span(self.op, source, source.origin_of(edit))
            after = source.edited(edit)
            self.inside.append(Inside(source, edit, after, mode))
            source = after
        return source

    def _source(self, path: str, raw: bytes) -> Source:
        """A file as this patch and the operations before it have left it."""
        if path not in self.latest:
            self._once(path, {**self.removed, **self.rewritten})
            return self.opened(path, raw)
        return self.latest[path]

    def _kept(self, path: str, entry: Entry) -> bytes | Oid:
        change = self.before.changes.get(path)
        return entry.oid if change is None or change.content is None else change.content

    def _add(self, file: FilePatch, mode: str, new: bytes | Oid) -> str:
        freed = Overlay(self.before.below, {**self.before.changes, **self.removed})
        path = (paths.behind if mode == SYMLINK else paths.resolve)(file.path, freed)
        self._once(path, self.added)[path] = _checked(Change(path, _checked_mode(mode), new))
        return path

    def _existing(self, file: FilePatch) -> tuple[str, Entry]:
        """The file that a patch starts from; a link itself where the patch says so, or moves it as it is."""
        if not file.link and (file.hunks or file.kind not in ("rename", "copy")):
            return paths.existing(file.source, self.before)
        path = paths.behind(file.source, self.before)
        entry = self.before.entry(path)
        return (path, entry) if entry is not None else paths.existing(file.source, self.before)

    def _once(self, path: str, group: dict[str, Change]) -> dict[str, Change]:
        if path in group or path in self.latest:
            raise failed(
                f"the patch changes {path} twice", "put what it does to a file in one place", path=path
            )
        return group


def _refuse_other_base(file: FilePatch, path: str, below: Entry | None, entry: Entry) -> None:
    """Binary content fits only the blob that it was made from; nothing in it could show a misfit."""
    if file.binary is not None and file.base and entry == below and not entry.oid.startswith(file.base):
        raise failed(
            f"{path} is not the file that the binary patch was made from",
            "make the patch again, or replace the file with write, content_b64 and overwrite",
            path=path,
        )


def _checked_mode(mode: str) -> str:
    if mode not in (REGULAR, EXECUTABLE, SYMLINK):
        raise failed(f"the patch gives a file the mode {mode}", f"use {REGULAR} or {EXECUTABLE}")
    return mode


def _checked(change: Change) -> Change:
    """A new link must stay inside the repository."""
    if change.mode == SYMLINK and isinstance(change.content, bytes):
        paths.refuse_goal(change.path, change.content.decode("utf-8", "surrogateescape"))
    return change
