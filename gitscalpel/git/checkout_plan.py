"""Plan of a checkout: for each path, replace, merge or block the file and its index entry.

Only blobs are written here. A clean path is replaced, in a dirty one the user's changes are merged on
top and stay uncommitted, and a blocked one stops the landing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, TREE, Change, Entry, Oid
from gitscalpel.errors import TryAgain
from gitscalpel.git.filters import Filters
from gitscalpel.git.index import Staged
from gitscalpel.git.journal import DiskRestore, FileFate, Row
from gitscalpel.git.merges import Overlap, merge_file
from gitscalpel.git.object_store import Store
from gitscalpel.git.process import Git
from gitscalpel.git.repository import Repository
from gitscalpel.git.working_tree import OTHER, WorkTree

_FILES = (REGULAR, EXECUTABLE)
_STORABLE = (*_FILES, SYMLINK)


class Planned(msgspec.Struct, frozen=True):
    """A path and what will become of it."""

    row: Row
    what: FileFate


class Blocked(Exception):
    """The user's state of a path stands against it.

    Attributes:
        why: ``staged``, ``unmerged``, ``in_the_way``, ``deleted``, ``changed``, ``overlap`` or ``filtered``.
        path: where; not always the path that is written.
        lines: what overlaps, as line ranges of the file on the disk.
        kept: where lies what somebody has saved, and somebody else has saved over.
    """

    def __init__(
        self, why: str, path: str, lines: tuple[tuple[int, int], ...] = (), kept: Path | None = None
    ) -> None:
        super().__init__(why)
        self.why = why
        self.path = path
        self.lines = lines
        self.kept = kept


class Planner(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a decision looks at.

    Attributes:
        repo: whose files they are.
        store: blobs come from here, and the user's bytes are saved here.
        work: the disk.
        filters: between what git stores and what the disk holds.
        index: the entries of all paths concerned.
        cleaned: path → id of the file on the disk, where filters lie between.
        adopted: path → what was taken from the disk (None: it was gone); still so, it counts as clean.
        restored: path → what goes to the disk in the place of what the index will say.
        back: path → what the movement that is taken back had done to the disk.
        removed: the paths that go away.
        sparse: the paths that a sparse checkout leaves out, of those that are in no index yet.
        attributes: a view of the attributes that will hold, if they change.
        forms: what has been asked of filters, since each answer takes a process.
    """

    repo: Repository
    store: Store
    work: WorkTree
    filters: Filters
    index: Mapping[str, Staged]
    cleaned: Mapping[str, Oid]
    adopted: Mapping[str, Entry | None]
    restored: Mapping[str, Entry | None]
    back: Mapping[str, DiskRestore]
    removed: frozenset[str]
    sparse: frozenset[str] = frozenset()
    attributes: Git | None = None
    forms: dict[tuple[str, Entry, bool], Entry] = msgspec.field(default_factory=dict)

    def plan(self, delta: Change) -> Planned:
        """What becomes of one path.

        Raises:
            Blocked: the user's state stands against it.
        """
        flags = self.index[delta.path].flags if delta.path in self.index else self._first_flags(delta.path)
        staged, coming = self._staged(delta)
        seen = _Seen(delta, staged, coming, self._disk(delta.path), flags)
        if SUBMODULE in [entry.mode for entry in (delta.old, delta.new) if entry is not None]:
            return self._submodule(seen)
        if seen.disk is None and flags.upper() == "S":
            return seen.left("skipped")
        return self._taken_back(seen) or self._moved_on(seen)

    def _moved_on(self, seen: _Seen) -> Planned:
        """What becomes of a path whose states are those of commits, but for what the user did."""
        delta = seen.delta
        target = self._target(delta)
        if delta.path not in self.restored and self._holds(delta.path, seen.disk, delta.new, target):
            return seen.left("kept")
        if self._is_clean(delta, seen.disk):
            self._vacant(delta.path, target)
            what = self._what(delta.path, target)
            return self._becomes(seen, target, what if seen.coming == delta.new else "merged")
        if seen.staged == delta.new:
            return seen.left("kept")
        return self._becomes(seen, self._merged(seen, target), "merged")

    def untold(self, planned: Planned, delta: Change) -> bool:
        """Whether the two commits do not tell what the disk held before and will hold."""
        row, what = planned.row, planned.what
        if what == "skipped":
            return False
        before, after = self._form(delta.path, delta.old), self._target(delta)
        return not (self.work.same(row.before, before) and self.work.same(row.after, after))

    def _taken_back(self, seen: _Seen) -> Planned | None:
        """The bytes that the disk had before what is taken back, if it still holds what that had left there.

        Where they have been let go of, the file stays as it is.
        """
        back = self.back.get(seen.delta.path)
        if back is None or back.delta != seen.delta:
            return None
        if self.work.same(back.disk, back.goal):
            return seen.left("kept")  # it had not been touched
        if not self.work.same(seen.disk, back.disk):
            return None
        if back.goal is None:
            return self._becomes(seen, None, "removed")
        if not self.store.holds(back.goal.oid):
            return seen.left("left")
        self._vacant(seen.delta.path, back.goal)
        return self._becomes(seen, back.goal, "restored")

    def _first_flags(self, path: str) -> str:
        """Of an entry that the index will have; a file that lies on the disk is there, sparse or not."""
        return "S" if path in self.sparse and self.work.state(path) is None else "H"

    def _staged(self, delta: Change) -> tuple[Entry | None, Entry | None]:
        """The index entry as it is and as it will be; what is staged elsewhere in the file stays staged."""
        path, old, new = delta
        staged = self.index.get(path)
        if staged is not None and staged.conflicted:
            raise Blocked("unmerged", path)
        entry = None if staged is None else staged.entry
        if entry in (old, new) or entry == self.adopted.get(path, old):
            return entry, new
        if entry is None or old is None or new is None or not {entry.mode, old.mode, new.mode} <= set(_FILES):
            raise Blocked("staged", path)
        texts = (self.store.read(each.oid) for each in (entry, old, new))
        content = merge_file(self.repo.git, self.repo.scalpel_dir, *texts)
        if isinstance(content, Overlap):
            raise Blocked("staged", path, content.lines)
        return entry, Entry(
            new.mode if entry.mode == old.mode else entry.mode, self.store.write_blob(content)
        )

    def _disk(self, path: str) -> Entry | None:
        disk = self.work.state(path)
        if disk is not None and disk.mode == TREE and self.removed.issuperset(self.work.files(path)):
            return None  # empty folders, or folders that will be
        return disk

    def _target(self, delta: Change) -> Entry | None:
        """The disk after the landing, if there are no changes of the user's; its bytes are stored."""
        entry = self.restored.get(delta.path, delta.new)
        if entry is None:
            return None
        return self._form(delta.path, entry, coming=True)

    def _holds(self, path: str, disk: Entry | None, entry: Entry | None, form: Entry | None) -> bool:
        """Whether the disk holds ``entry``, whose form on the disk is ``form``."""
        if self.work.same(disk, form):
            return True
        stored = self.cleaned.get(path)
        if disk is None or entry is None or stored is None:
            return False
        return self.work.same(Entry(disk.mode, stored), self.work.expected(entry))

    def _is_clean(self, delta: Change, disk: Entry | None) -> bool:
        if self._is_no_more(delta.path, disk, delta.old):
            return True
        if delta.path not in self.adopted:
            return False
        mine = self.adopted[delta.path]
        if mine is None or disk is None:
            return mine is disk
        return self._is_no_more(delta.path, disk, Entry(disk.mode, mine.oid))

    def _is_no_more(self, path: str, disk: Entry | None, entry: Entry | None) -> bool:
        """Whether the disk holds ``entry`` and nothing that somebody may have written beside it."""
        raw = None if entry is None else self.work.expected(entry)
        if self.work.same(disk, raw) or not self.filters.applies(path):
            return self.work.same(disk, raw)
        if self.work.same(disk, self._form(path, entry)):
            return True
        return not self.filters.drives(path) and self._holds(path, disk, entry, raw)

    def _form(self, path: str, entry: Entry | None, *, coming: bool = False) -> Entry | None:
        """How an entry looks on the disk, as things are now; or as they will be, and then it is stored."""
        if entry is None:
            return None
        view = self.attributes if coming else None
        if entry.mode not in _STORABLE or (view is None and not self.filters.applies(path)):
            return self.work.expected(entry)
        form = self.forms.get((path, entry, coming))
        if form is None:
            content = self.filters.smudge(path, entry, view)
            oid = self.store.write_blob(content) if coming else self.store.blob_id(content)
            form = self.forms[path, entry, coming] = self.work.expected(Entry(entry.mode, oid))
        return form

    def _what(self, path: str, target: Entry | None) -> FileFate:
        if path in self.restored:
            return "restored"
        return "removed" if target is None else "written"

    def _vacant(self, path: str, target: Entry | None) -> None:
        """Refuse where something that git does not know stands on the way to ``path``."""
        if target is not None:
            obstacle = self.work.obstacle(path)
            if obstacle is not None and obstacle not in self.removed:
                raise Blocked("in_the_way", obstacle)

    def _merged(self, seen: _Seen, target: Entry | None) -> Entry:
        """The user's changes on top of the new content."""
        path, disk = seen.delta.path, seen.disk
        old = self.adopted.get(path, seen.delta.old)
        if old is None or disk is None:
            raise Blocked("deleted" if old is not None else "in_the_way", path)
        filtered = old.oid == self.cleaned.get(path)  # to git the file is as it was
        if target is None:
            raise Blocked("filtered" if filtered else "changed", path)
        if any(entry.mode not in _FILES for entry in (disk, old, target)):
            raise Blocked("in_the_way" if disk.mode in (TREE, OTHER) else "overlap", path)
        base, theirs = self.filters.smudge(path, old), self.store.read(target.oid)
        content = merge_file(self.repo.git, self.repo.scalpel_dir, self.work.read(path), base, theirs)
        if isinstance(content, Overlap):
            raise Blocked("filtered" if filtered else "overlap", path, content.lines)
        mode = target.mode if disk.mode == old.mode or not self.work.executable_bits else disk.mode
        return Entry(mode, self.store.write_blob(content))

    def _submodule(self, seen: _Seen) -> Planned:
        """A submodule's folder is left alone, as git leaves it; only the index entry moves."""
        if any(entry and entry.mode != SUBMODULE for entry in (seen.delta.old, seen.delta.new)):
            raise Blocked("in_the_way", seen.delta.path)  # a file takes its place, or it a file's
        return seen.left("skipped")

    def _becomes(self, seen: _Seen, after: Entry | None, what: FileFate) -> Planned:
        """The disk changes; the user's bytes are stored as they are, so that they can be put back."""
        path, disk = seen.delta.path, seen.disk
        if disk is not None and disk.oid not in _known(seen.delta):
            if disk.mode not in _STORABLE:
                raise Blocked("in_the_way", path)
            if self.store.write_blob(self.work.read(path)) != disk.oid:
                raise TryAgain("busy", f"{path} is being written at this moment", "try again")
        return Planned(seen.row(after), what)


class _Seen(msgspec.Struct, frozen=True):
    """What the index and the disk say about a path, and what the index will say."""

    delta: Change
    staged: Entry | None
    coming: Entry | None
    disk: Entry | None
    flags: str

    def row(self, after: Entry | None) -> Row:
        return Row(
            path=self.delta.path,
            index=self.staged,
            new=self.coming,
            before=self.disk,
            after=after,
            flags=self.flags,
        )

    def left(self, what: FileFate) -> Planned:
        """The disk stays as it is."""
        return Planned(self.row(self.disk), what)


def unsaved(planned: Sequence[Planned], deltas: Sequence[Change]) -> list[tuple[str, Entry]]:
    """The states of the disk, before and after, whose bytes no commit holds."""
    known = {delta.path: _known(delta) for delta in deltas}
    states = [
        (side, each.row.path, entry)
        for each in planned
        if each.row.moves
        for side, entry in (("before", each.row.before), ("after", each.row.after))
    ]
    return [
        (f"{side}/{path}", entry)
        for side, path, entry in states
        if entry is not None and entry.oid not in known[path]
    ]


def _known(delta: Change) -> set[Oid]:
    """The blobs that the two commits hold anyway."""
    return {entry.oid for entry in (delta.old, delta.new) if entry is not None}
