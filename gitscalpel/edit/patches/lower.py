"""Lowers a patch to plain steps: whole files put or removed, and edits inside files.

All files of a patch are read as they were before it, so that a rename may make room for a new file
and two files may change places. What is removed is removed first. Only what edits a file that the
patch itself has put there is read after that, in a round of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import msgspec

from gitscalpel.changesets import paths
from gitscalpel.changesets.file_tree import REGULAR, SYMLINK, Entry, Overlay
from gitscalpel.changesets.operations import Patch
from gitscalpel.edit import elided, stale
from gitscalpel.edit.files import refuse_occupied
from gitscalpel.edit.patches import content, exact, guards, place, targets
from gitscalpel.edit.patches.form import FilePatch
from gitscalpel.edit.patches.recognise import read
from gitscalpel.edit.patches.refusals import failed, no_change
from gitscalpel.edit.source import Edit, Source

Group = TypeVar("Group", bound=Entry | None)


class Inside(NamedTuple):
    """An edit inside a file, and the mode that the file has afterwards."""

    source: Source
    edit: Edit
    after: Source
    mode: str


def rounds(op: Patch, before: Overlay, roots: Sequence[str] = ()) -> Iterator[tuple[FilePatch, ...]]:
    """What ``op`` says of files, in parts of which each is lowered after the one before is done.

    Args:
        op: the patch.
        before: the files as they are before it.
        roots: folders on the disk whose files absolute names mean.

    Raises:
        ScalpelError: if it cannot be read.
    """
    files = targets.meant(read(op.diff, op.path), roots, before)
    guards.refuse_expect_of_several(op, files)
    part: list[FilePatch] = []
    made: set[str] = set()
    for file in files:
        if file.kind in ("edit", "delete") and file.source in made:
            yield tuple(part)
            part, made = [], set()
        part.append(file)
        if file.kind != "delete" and (file.kind != "edit" or not file.pieces):
            made.add(file.path)
    yield tuple(part)


class Lowered(msgspec.Struct, frozen=True):
    """What a round of a patch does.

    Attributes:
        whole: which paths hold what as a whole (None: nothing), in the order in which it has to be done.
        inside: inside files.
        carried: where files that it moves or copies were before, by where they are then.
    """

    whole: list[tuple[str, Entry | None]]
    inside: list[Inside]
    carried: dict[str, str]


def lower(
    op: Patch, files: Sequence[FilePatch], before: Overlay, opened: Callable[[str, bytes], Source]
) -> Lowered:
    """What a round of ``op`` does.

    Args:
        op: the patch.
        files: the round.
        before: the files as they are before it.
        opened: a file, from its path and content, as earlier operations and rounds have left it.

    Raises:
        ScalpelError: the first thing that does not fit; then nothing of the patch happens.
    """
    lowering = _Lowering(op, before, opened)
    for file in files:
        lowering.take(file)
    return Lowered(lowering.whole(), lowering.inside, lowering.carried)


class _Lowering:
    """The steps of one patch, while its files are gone through."""

    def __init__(self, op: Patch, before: Overlay, opened: Callable[[str, bytes], Source]) -> None:
        self.op = op
        self.before = before
        self.opened = opened
        self.removed: dict[str, None] = {}
        self.added: dict[str, Entry] = {}
        self.rewritten: dict[str, Entry] = {}
        self.inside: list[Inside] = []
        self.carried: dict[str, str] = {}
        self.latest: dict[str, Source] = {}

    @property
    def freed(self) -> Overlay:
        """The files without those that the patch removes."""
        return self.before.without(self.removed)

    def whole(self) -> list[tuple[str, Entry | None]]:
        """The changes of whole files; what is added needs room once the removed files are gone."""
        freed = self.freed
        for path in self.added:
            refuse_occupied(path, freed)
            guards.refuse_below(path, self.added)
        gone = [(path, None) for path in self.removed if path not in self.added]
        return [*gone, *self.added.items(), *self.rewritten.items()]

    def take(self, asked: FilePatch) -> None:
        file, displaced = targets.left(asked, self.freed)
        if displaced is not None:
            self._once(displaced, self.removed)[displaced] = None
        if file is None:
            return
        if file.kind == "create":
            mode = guards.checked_mode(file.mode or REGULAR)
            self._add(file, self.before.holding(mode, content.created(file)))
            return
        path, entry = guards.existing(file, self.before)
        guards.refuse_other_base(self.op, file, path, self.before)
        raw = self.before.content(path) or b""
        guards.refuse_filled(file, path, entry, raw)
        if file.kind == "delete":
            content.refuse_rest(file, path, raw)
        if file.kind in ("delete", "rename"):
            self._once(path, self.removed)[path] = None
        if file.kind != "delete":
            self._put(file, path, entry, raw)

    def _put(self, file: FilePatch, path: str, entry: Entry, raw: bytes) -> None:
        """Put a file as it is where it belongs and edit it there, or put it as the patch makes it."""
        mode = guards.checked_mode(file.mode or entry.mode)
        guards.refuse_other_kind(file, entry, mode)
        is_whole = (
            entry.mode == SYMLINK or content.is_whole(file, path, raw) or exact.is_due(file, path, entry, raw)
        )
        if is_whole or file.kind != "edit":
            stale.check_content(self.op, path, self.before)
        new = Entry(mode, entry.oid)
        if is_whole and content.is_new(file):
            new = self.before.holding(mode, content.patched(file, path, raw))
        if new == entry and file.kind == "edit" and is_whole:
            raise no_change(path)
        goal = path
        if file.kind != "edit":
            goal = self._add(file, new)
            self.carried[goal] = path
        elif is_whole:
            guards.refuse_leading_out(path, new, self.before)
            self._once(path, self.rewritten)[path] = new
        if not is_whole and file.kind == "edit":
            file = content.counted(file, path in self.latest)
            self.latest[path] = self._edit(file, self._source(path, raw), mode)
        elif not is_whole:
            self._edit(file, self.opened(path, raw).at(goal), mode)

    def _edit(self, file: FilePatch, source: Source, mode: str) -> Source:
        """Edit a file; hunks that only show lines must fit as well, and change nothing."""
        place.refuse_contradicting(file.pieces, source)
        is_idle = file.kind == "edit"
        for pieces in content.grouped(file):
            if not any(map(content.changes, pieces)):
                place.places(pieces, source)
                continue
            is_idle = False
            edit = elided.filled(place.edit(pieces, source, is_exempt=not file.as_text), source)
            if file.kind == "edit":
                stale.check_span(self.op, source, source.origin_of(edit))
            after = source.edited(edit)
            self.inside.append(Inside(source, edit, after, mode))
            source = after
        if is_idle:
            raise no_change(source.path)
        return source

    def _source(self, path: str, raw: bytes) -> Source:
        """A file as this patch and the operations before it have left it."""
        if path not in self.latest:
            self._once(path, self.removed)
            self._once(path, self.rewritten)
            return self.opened(path, raw)
        return self.latest[path]

    def _add(self, file: FilePatch, new: Entry) -> str:
        path = (paths.behind if new.mode == SYMLINK else paths.resolve)(file.path, self.freed)
        guards.refuse_leading_out(path, new, self.before)
        self._once(path, self.added)[path] = new
        return path

    def _once(self, path: str, group: dict[str, Group]) -> dict[str, Group]:
        if path in group or path in self.latest:
            raise failed(
                f"the patch changes {path} twice", "put what it does to a file in one place", path=path
            )
        return group
