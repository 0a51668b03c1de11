"""Update the files of the checkout from one commit to another, restore them, or report what blocks that.

A plan says for each path whether file and index entry are replaced, merged or blocked. It writes nothing but
blobs. The user's changes are merged on top and stay uncommitted. A blocked file stops the landing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from types import MappingProxyType

import msgspec

from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, SUBMODULE, SYMLINK, TREE, Change, Entry, Oid
from gitscalpel.errors import TryAgain, WorldMoved
from gitscalpel.errors.messages import arg, place
from gitscalpel.git import index, journal, scratch
from gitscalpel.git.attributes import Filters, use_new_attributes
from gitscalpel.git.index import IndexEntry
from gitscalpel.git.journal import DiskChange, DiskRestore, FileFate, JournalRow
from gitscalpel.git.merges import Overlap, merge_file
from gitscalpel.git.object_store import Store
from gitscalpel.git.process import Git, join_listing, split_listing
from gitscalpel.git.repository import Repository
from gitscalpel.git.working_tree import OTHER, FileChanged, WorkTree, open_working_tree
from gitscalpel.system import private_files
from gitscalpel.system.failpoint import step

_FILES = (REGULAR, EXECUTABLE)
_STORABLE = (*_FILES, SYMLINK)


class PlannedChange(msgspec.Struct, frozen=True):
    """Index and disk of a path, before and after, and the planned result for its file."""

    row: JournalRow
    what: FileFate


class BlockedPath(Exception):
    """Raised if the user's state of a path blocks the update.

    Attributes:
        why: a key of :data:`_REASONS`.
        path: blocking path, which may be a parent of the path that is written.
        lines: overlapping line ranges of the file on disk.
        kept: file that keeps an earlier save which another save has replaced, or None.
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
    """State on which the decision about each path depends."""

    repo: Repository
    store: Store
    work: WorkTree
    filters: Filters
    index: Mapping[str, IndexEntry]  # index entries by path
    cleaned: Mapping[str, Oid]  # ids that git would store for the files on disk, by path, where filters apply
    # Entries taken from the disk, by path. An unchanged one counts as clean.
    adopted: Mapping[str, Entry | None]
    # Entries to write to the disk instead of the new index entry, by path.
    restored: Mapping[str, Entry | None]
    back: Mapping[str, DiskRestore]  # disk changes of the movement that is undone, by path
    removed: frozenset[str]  # paths that the update removes
    sparse: frozenset[str] = frozenset()  # paths outside of the sparse checkout that have no index entry yet
    attributes: Git | None = None  # git with the attributes of the new tree. None if they do not change.
    # Cache of filtered entries, since each answer of a filter starts a process.
    forms: dict[tuple[str, Entry, bool], Entry] = msgspec.field(default_factory=dict)

    def plan(self, delta: Change) -> PlannedChange:
        """Plan the update of one path. Raises ``BlockedPath``."""
        flags = self.index[delta.path].flags if delta.path in self.index else self._choose_flags(delta.path)
        staged, coming = self._merge_index_entry(delta)
        state = _PathState(delta, staged, coming, find_remaining(self.work, delta.path, self.removed), flags)
        if SUBMODULE in [entry.mode for entry in (delta.old, delta.new) if entry is not None]:
            return self._plan_submodule(state)
        if state.disk is None and flags.upper() == "S":
            return state.keep_disk("skipped")
        return self._plan_restore(state) or self._plan_forward(state)

    def _plan_forward(self, state: _PathState) -> PlannedChange:
        delta = state.delta
        target = self._find_target(delta)
        if delta.path not in self.restored and self._is_on_disk(delta.path, state.disk, delta.new, target):
            return state.keep_disk("kept")
        if self._is_clean(delta, state.disk):
            self._require_vacant(delta.path, target)
            fate = self._choose_fate(delta.path, target)
            return self._plan_change(state, target, fate if state.coming == delta.new else "merged")
        if state.staged == delta.new:
            return state.keep_disk("kept")
        return self._plan_change(state, self._merge_changes(state, target), "merged")

    def is_undetermined(self, planned: PlannedChange, delta: Change) -> bool:
        """Return True if the two commits do not determine the bytes on disk before and after."""
        row, fate = planned.row, planned.what
        if fate == "skipped":
            return False
        before, after = self._convert_for_disk(delta.path, delta.old), self._find_target(delta)
        return not (self.work.same(row.before, before) and self.work.same(row.after, after))

    def _plan_restore(self, state: _PathState) -> PlannedChange | None:
        """Plan to restore the bytes from before the undone movement. None if the disk has changed since."""
        restore = self.back.get(state.delta.path)
        if restore is None or restore.delta != state.delta:
            return None
        if self.work.same(restore.disk, restore.goal):
            return state.keep_disk("kept")  # the movement did not change the file
        if not self.work.same(state.disk, restore.disk):
            return None
        if restore.goal is None:
            return self._plan_change(state, None, "removed")
        if not self.store.holds(restore.goal.oid):
            return state.keep_disk("left")
        self._require_vacant(state.delta.path, restore.goal)
        return self._plan_change(state, restore.goal, "restored")

    def _choose_flags(self, path: str) -> str:
        return "S" if path in self.sparse and self.work.state(path) is None else "H"

    def _merge_index_entry(self, delta: Change) -> tuple[Entry | None, Entry | None]:
        """Return the index entry before and after. Changes staged elsewhere in the file stay staged."""
        path, old, new = delta
        staged = self.index.get(path)
        if staged is not None and staged.conflicted:
            raise BlockedPath("unmerged", path)
        entry = None if staged is None else staged.entry
        if entry in (old, new) or entry == self.adopted.get(path, old):
            return entry, new
        if entry is None or old is None or new is None or not {entry.mode, old.mode, new.mode} <= set(_FILES):
            raise BlockedPath("staged", path)
        texts = (self.store.read(each.oid) for each in (entry, old, new))
        content = merge_file(self.repo.git, self.repo.scalpel_dir, *texts)
        if isinstance(content, Overlap):
            raise BlockedPath("staged", path, content.lines)
        return entry, Entry(
            new.mode if entry.mode == old.mode else entry.mode, self.store.write_blob(content)
        )

    def _find_target(self, delta: Change) -> Entry | None:
        """Return the disk entry after the update if the user changed nothing. Its bytes are stored."""
        entry = self.restored.get(delta.path, delta.new)
        if entry is None:
            return None
        return self._convert_for_disk(delta.path, entry, coming=True)

    def _is_on_disk(self, path: str, disk: Entry | None, entry: Entry | None, form: Entry | None) -> bool:
        """Return True if the disk contains ``entry``, whose form on disk is ``form``."""
        if self.work.same(disk, form):
            return True
        stored = self.cleaned.get(path)
        if disk is None or entry is None or stored is None:
            return False
        return self.work.same(Entry(disk.mode, stored), self.work.disk_entry(entry))

    def _is_clean(self, delta: Change, disk: Entry | None) -> bool:
        if self._contains_only(delta.path, disk, delta.old):
            return True
        if delta.path not in self.adopted:
            return False
        adopted = self.adopted[delta.path]
        if adopted is None or disk is None:
            return adopted is disk
        return self._contains_only(delta.path, disk, Entry(disk.mode, adopted.oid))

    def _contains_only(self, path: str, disk: Entry | None, entry: Entry | None) -> bool:
        """Return True if the disk contains ``entry`` and nothing that the user may have added to it."""
        raw = None if entry is None else self.work.disk_entry(entry)
        if self.work.same(disk, raw) or not self.filters.applies(path):
            return self.work.same(disk, raw)
        if self.work.same(disk, self._convert_for_disk(path, entry)):
            return True
        return not self.filters.runs_program(path) and self._is_on_disk(path, disk, entry, raw)

    def _convert_for_disk(self, path: str, entry: Entry | None, *, coming: bool = False) -> Entry | None:
        """Return the disk form of an entry. With ``coming`` the new attributes apply, and it is stored."""
        if entry is None:
            return None
        view = self.attributes if coming else None
        if entry.mode not in _STORABLE or (view is None and not self.filters.applies(path)):
            return self.work.disk_entry(entry)
        form = self.forms.get((path, entry, coming))
        if form is None:
            content = self.filters.smudge(path, entry, view)
            oid = self.store.write_blob(content) if coming else self.store.blob_id(content)
            form = self.forms[path, entry, coming] = self.work.disk_entry(Entry(entry.mode, oid))
        return form

    def _choose_fate(self, path: str, target: Entry | None) -> FileFate:
        if path in self.restored:
            return "restored"
        return "removed" if target is None else "written"

    def _require_vacant(self, path: str, target: Entry | None) -> None:
        if target is not None:
            obstacle = self.work.obstacle(path)
            if obstacle is not None and obstacle not in self.removed:
                raise BlockedPath("in_the_way", obstacle)

    def _merge_changes(self, state: _PathState, target: Entry | None) -> Entry:
        path, disk = state.delta.path, state.disk
        old = self.adopted.get(path, state.delta.old)
        if old is None or disk is None:
            raise BlockedPath("deleted" if old is not None else "in_the_way", path)
        filtered = old.oid == self.cleaned.get(path)  # git takes the file for unchanged
        if target is None:
            raise BlockedPath("filtered" if filtered else "changed", path)
        if any(entry.mode not in _FILES for entry in (disk, old, target)):
            raise BlockedPath("in_the_way" if disk.mode in (TREE, OTHER) else "overlap", path)
        base, theirs = self.filters.smudge(path, old), self.store.read(target.oid)
        content = merge_file(self.repo.git, self.repo.scalpel_dir, self.work.read(path), base, theirs)
        if isinstance(content, Overlap):
            raise BlockedPath("filtered" if filtered else "overlap", path, content.lines)
        mode = target.mode if disk.mode == old.mode or not self.work.executable_bits else disk.mode
        return Entry(mode, self.store.write_blob(content))

    def _plan_submodule(self, state: _PathState) -> PlannedChange:
        """Plan a submodule: its directory stays, as with git, and only the index entry changes."""
        if any(entry and entry.mode != SUBMODULE for entry in (state.delta.old, state.delta.new)):
            raise BlockedPath("in_the_way", state.delta.path)  # a file replaces it or is replaced by it
        return state.keep_disk("skipped")

    def _plan_change(self, state: _PathState, after: Entry | None, fate: FileFate) -> PlannedChange:
        """Plan a change of the disk, and store the user's bytes so that they can be restored."""
        path, disk = state.delta.path, state.disk
        if disk is not None and disk.oid not in _get_committed_blobs(state.delta):
            if disk.mode not in _STORABLE:
                raise BlockedPath("in_the_way", path)
            if self.store.write_blob(self.work.read(path)) != disk.oid:
                raise TryAgain("busy", f"{path} is being written by another process", "try again")
        return PlannedChange(state.row(after), fate)


class _PathState(msgspec.Struct, frozen=True):
    delta: Change
    staged: Entry | None
    coming: Entry | None
    disk: Entry | None
    flags: str

    def row(self, after: Entry | None) -> JournalRow:
        return JournalRow(
            path=self.delta.path,
            index=self.staged,
            new=self.coming,
            before=self.disk,
            after=after,
            flags=self.flags,
        )

    def keep_disk(self, fate: FileFate) -> PlannedChange:
        return PlannedChange(self.row(self.disk), fate)


def find_unsaved(planned: Sequence[PlannedChange], deltas: Sequence[Change]) -> list[tuple[str, Entry]]:
    """Return the disk entries whose bytes are in neither commit, named ``before/PATH`` or ``after/PATH``."""
    committed = {delta.path: _get_committed_blobs(delta) for delta in deltas}
    return [
        (f"{side}/{each.row.path}", entry)
        for each in planned
        if each.row.moves
        for side, entry in (("before", each.row.before), ("after", each.row.after))
        if entry is not None and entry.oid not in committed[each.row.path]
    ]


def _get_committed_blobs(delta: Change) -> set[Oid]:
    return {entry.oid for entry in (delta.old, delta.new) if entry is not None}


def find_outside(repo: Repository, store: Store, names: Sequence[str]) -> frozenset[str]:
    """Return those of ``names`` that sparse-checkout keeps off the disk. They have no index entries yet.

    The patterns may be in one of two languages, so git itself checks out empty files with these names.
    """
    if not names or not repo.flag("core.sparseCheckout"):
        return frozenset()
    with scratch.make_scratch(repo.scalpel_dir) as temporary:
        folder = temporary.path / "files"
        folder.mkdir()
        git = repo.git.inheriting(temporary.lock).with_env(
            GIT_WORK_TREE=str(folder), GIT_INDEX_FILE=str(temporary.path / "index")
        )
        tree = store.write_tree(None, [(name, Entry(REGULAR, store.blob_id(b""))) for name in names], [b""])
        # Only with -m and -u does read-tree apply the patterns.
        git("-C", str(folder), "read-tree", "-m", "-u", tree)
        rows = git("-C", str(folder), "ls-files", "-t", "-z")
    return frozenset(row[2:] for row in split_listing(rows) if row.startswith("S "))


_REASONS = {
    "staged": "has changes in the index",
    "unmerged": "is unmerged in the index",
    "in_the_way": "is in the way and is not tracked",
    "ignored": "is in the way and is ignored by git",
    "deleted": "has been deleted",
    "changed": "has uncommitted changes, and would be removed",
    "overlap": "has uncommitted changes that overlap",
    "filtered": "contains text that its clean filter removes, where it would change",
    "moved": "has just been changed",
}
_HINTS = {
    "staged": "if the changes are yours, commit or stash them (`git stash`)",
    "unmerged": "resolve the conflict and commit",
    "in_the_way": "move it away, or `git add {path}` and commit it",
    "ignored": "move it away",
    "deleted": "restore it (`git restore {path}`) or commit the deletion",
    "changed": "if the changes are yours, stash them (`git stash`)",
    "overlap": "if the changes are yours, stash them (`git stash`)",
    "filtered": "copy it away, remove it and run `git checkout -- {path}`",
    "moved": "wait until the other program has finished",
}
_MAY_BE_OTHERS = frozenset({"staged", "changed", "overlap"})
"""Reasons whose changes may be another's, which an agent must not stash."""
_MAX_HINT_FILES = 3  # number of files that a hint names
# Options of ``update-index`` that show a file to git again, by flag of ``ls-files -v``. ``git stash``
# overlooks files with such flags.
_SHOW_OPTIONS = {
    "S": "--no-skip-worktree",
    "s": "--no-skip-worktree",
    "h": "--no-assume-unchanged",
}


def blocked_error(repo: Repository | None, blocked: Sequence[BlockedPath]) -> WorldMoved:
    """Return the error for ``blocked``. With ``repo`` it distinguishes ignored from untracked files."""
    in_the_way = [verdict.path for verdict in blocked if verdict.why == "in_the_way"]
    ignored = set()
    if repo is not None and in_the_way:
        result = repo.git.run("check-ignore", "-z", "--stdin", stdin=join_listing(in_the_way))
        ignored = set(split_listing(result.out))
    pairs = [(verdict, "ignored" if verdict.path in ignored else verdict.why) for verdict in blocked]
    description = "; ".join(_describe_blocked(verdict, reason) for verdict, reason in pairs)
    hints = "; ".join(_iter_hints(repo, [(verdict.path, reason) for verdict, reason in pairs]))
    leave = f"; else leave them: land the edit later, or drop it and edit with {arg('checkout')}"
    may_be_others = any(reason in _MAY_BE_OTHERS for _, reason in pairs)
    return WorldMoved(
        "dirty_overlap",
        f"your checkout blocks this landing: {description}",
        f"{hints}, then try again{leave if may_be_others else ''}",
        files=[
            {
                "path": verdict.path,
                "why": reason,
                "lines": [list(span) for span in verdict.lines],
                **({"kept": str(verdict.kept)} if verdict.kept else {}),
            }
            for verdict, reason in pairs
        ],
    )


def _iter_hints(repo: Repository | None, blocked: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield an imperative for each file with a flag that hides it from git, then one for each reason."""
    if repo is not None:
        words = ("--literal-pathspecs", "ls-files", "-v", "-z", "--", *(path for path, _ in blocked))
        for row in split_listing(repo.git.run(*words).out):
            if row[0] in _SHOW_OPTIONS:
                yield f"show it to git again (`git update-index {_SHOW_OPTIONS[row[0]]} {place(row[2:])}`)"
    by_hint: dict[str, list[str]] = {}
    for path, reason in blocked:
        by_hint.setdefault(_HINTS[reason], []).append(place(path))
    for hint, paths in by_hint.items():
        yield hint.format(path=" ".join(paths) if len(paths) <= _MAX_HINT_FILES else "PATH")


def _describe_blocked(verdict: BlockedPath, reason: str) -> str:
    spans = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in verdict.lines)
    lines = "line" if spans.isdecimal() else "lines"
    kept_file = f" twice; the first version is kept in {verdict.kept}" if verdict.kept else ""
    return f"{verdict.path} {_REASONS[reason]}" + (f" ({lines} {spans})" if spans else "") + kept_file


Statuses = dict[str, tuple[Entry, os.stat_result]]
# Uncommitted entries on disk, by path. None if the file does not exist.
Uncommitted = Mapping[str, Entry | None]
_NOTHING: Uncommitted = MappingProxyType({})
_NO_RESTORES: Mapping[str, DiskRestore] = MappingProxyType({})


def plan_checkout(
    repo: Repository,
    store: Store,
    deltas: Sequence[Change],
    new_tree: Oid | None,
    *,
    adopted: Uncommitted = _NOTHING,
    restored: Uncommitted = _NOTHING,
    back: Mapping[str, DiskRestore] = _NO_RESTORES,
) -> tuple[list[PlannedChange], list[DiskChange]]:
    """Plan the update of each path of ``deltas``; return also the disk states that commits do not determine.

    The arguments are described at :class:`Planner`. Raises ``dirty_overlap``, with each blocking path.
    """
    names = [delta.path for delta in deltas]
    work = open_working_tree(repo, store)
    filters = Filters(repo, store.read, names)
    regular = [name for name in names if filters.applies(name) and _is_regular(work, name)]
    staged = index.read_own_index_entries(repo, names) if names else {}
    removed = frozenset(delta.path for delta in deltas if delta.new is None)
    new_names = [delta.path for delta in deltas if delta.new and delta.path not in staged]
    outside = find_outside(repo, store, new_names)
    planned: list[PlannedChange] = []
    undetermined: list[DiskChange] = []
    blocked: list[BlockedPath] = []
    with use_new_attributes(repo, store, names, new_tree) as new_attributes:
        planner = Planner(
            repo=repo,
            store=store,
            work=work,
            filters=filters,
            index=staged,
            cleaned=filters.clean(regular),
            adopted=adopted,
            restored=restored,
            back=back,
            removed=removed,
            sparse=outside,
            attributes=new_attributes,
        )
        for delta in deltas:
            try:
                planned.append(planner.plan(delta))
                if planner.is_undetermined(planned[-1], delta):
                    undetermined.append(
                        journal.make_disk_change(delta.path, planned[-1].row.before, planned[-1].row.after)
                    )
            except BlockedPath as verdict:
                blocked.append(verdict)
    if blocked:
        raise blocked_error(repo, blocked)
    return planned, undetermined


def apply_plan(
    work: WorkTree, plan: Iterable[PlannedChange], read: Callable[[Oid], bytes], token: str
) -> Statuses:
    """Change the files on disk as planned, and return entry and status of each file with a new index entry.

    Removals come first, so a file can replace a directory. Raises ``dirty_overlap`` if a file differs from
    its planned state.
    """
    statuses: Statuses = {}
    for planned in sorted(plan, key=lambda each: each.row.after is not None):
        row = planned.row
        if not work.same(find_remaining(work, row.path), row.before):
            raise blocked_error(None, [BlockedPath("moved", row.path)])
        if not row.moves:
            continue
        step()
        try:
            status = _write_change(work, Change(row.path, row.before, row.after), read, token)
        except FileChanged as changed:
            raise blocked_error(None, [BlockedPath("moved", row.path, kept=changed.left)]) from None
        # As with git checkout, a file converted for the disk counts as unchanged.
        if status is not None and row.new is not None and planned.what == "written":
            statuses[row.path] = (row.new, status)
    step()
    work.sync()
    return statuses


def plan_follower_update(
    git: Git, repo: Repository, store: Store, plan: Sequence[PlannedChange], token: str
) -> None:
    """Update a pool worktree as planned. Manual edits in it stay on top.

    There is no journal: after a kill, planning and following again completes the update. By ``token``, that
    of the worktree, half-written files of a killed process are found.

    Raises:
        WorldMoved: ``dirty_overlap``: a file differs from its planned state.
        TryAgain: ``busy``: another process holds the index.
    """
    index_file, copy = repo.git_dir / "index", repo.git_dir / "index.new"
    work = open_working_tree(repo, store)
    rows = [each.row for each in plan]
    for row in rows:
        work.sweep(row.path, token, row.before, row.after)
    with index.hold_index_lock(repo.git_dir, repo.git_dir, token):
        time = index.write_edited_copy(repo, git, copy, [(row.path, row.new, row.flags) for row in rows])
        index.install_index(index_file, copy, apply_plan(work, plan, store.read, token), time)


def find_untouched(error: BaseException) -> list[str]:
    """Return the file at which :func:`apply_plan` stopped, if it is exactly as another program saved it."""
    if not isinstance(error, WorldMoved):
        return []
    files = error.data.get("files", ())
    return [file["path"] for file in files if file["why"] == "moved" and "kept" not in file]


def restore_files(
    work: WorkTree, rows: Iterable[JournalRow], read: Callable[[Oid], bytes], token: str, quarantine: Path
) -> list[str]:
    """Restore the files on disk to their earlier state, and return messages about those that could not be.

    A file in neither its earlier nor its new state was changed since. It stays, and a copy goes to
    ``quarantine``.
    """
    messages: list[str] = []
    for row in sorted(rows, key=lambda row: row.before is not None):
        disk = find_remaining(work, row.path)
        if not row.moves or work.same(disk, row.before):
            continue
        if disk is not None and not work.same(disk, row.after):
            messages.append(_copy_to_quarantine(work, row.path, disk, quarantine))
            continue
        if row.before is not None and work.obstacle(row.path) is not None:
            messages.append(
                f"{work.obstacle(row.path)} is not a directory any more; {row.path} was not restored"
            )
            continue
        step()
        try:
            _write_change(work, Change(row.path, disk, row.before), read, _make_restore_token(token))
        except FileChanged as changed:
            saved = f"; the earlier version is in {changed.left}" if changed.left else ""
            messages.append(f"{row.path} has just been changed; it was left unchanged{saved}")
    work.sync()
    return messages


def _write_change(
    work: WorkTree, change: Change, read: Callable[[Oid], bytes], token: str
) -> os.stat_result | None:
    path, old, new = change
    if new is not None:
        return work.write(path, new.mode, read(new.oid), token, old)
    if old is not None:
        work.remove(path, token, old)
    return None


def is_as_before(work: WorkTree, rows: Iterable[JournalRow], token: str) -> bool:
    """Return True if no file was changed yet, and remove half-written files."""
    for row in rows:
        work.sweep(row.path, token, row.before, row.after)
        work.sweep(row.path, _make_restore_token(token), row.after, row.before)
    return all(not row.moves or work.same(find_remaining(work, row.path), row.before) for row in rows)


def _make_restore_token(token: str) -> str:
    """Return the token for files written to restore others, so that none is mistaken for a replaced file."""
    return f"{token}-back"


def find_remaining(work: WorkTree, path: str, leaving: Set[str] = frozenset()) -> Entry | None:
    """Return the entry at ``path``, or None for a directory whose files, if any, are all in ``leaving``."""
    entry = work.state(path)
    is_emptied = (
        entry is not None and entry.mode == TREE and all(file in leaving for file in work.files(path))
    )
    return None if is_emptied else entry


def _copy_to_quarantine(work: WorkTree, path: str, entry: Entry, quarantine: Path) -> str:
    if entry.mode not in (REGULAR, EXECUTABLE):
        return f"{path} is not a regular file any more; it was left unchanged"
    copy = quarantine / path
    private_files.ensure_folder(quarantine.parent)
    private_files.make_folder(copy.parent)
    step()
    private_files.write(copy, work.read(path))
    return f"{path} has been changed since; it was left unchanged, with a copy in {copy}"


def _is_regular(work: WorkTree, path: str) -> bool:
    full = work.root / path
    return work.obstacle(path) is None and full.is_file() and not full.is_symlink()
