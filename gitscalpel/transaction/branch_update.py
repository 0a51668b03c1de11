"""Move a branch and the user's checkout together, or files alone, atomically even if the process is killed.

Landing, undo, redo and edits of the checkout are one protocol: make the objects durable, write the journal,
lock the refs, update files and index, move the refs, clear the journal. An edit of the checkout has no
branch: commits under ``refs/scalpel/disk/<id>`` hold the old and new states. A failure is recovered by the
same steps as a killed process.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Literal

import msgspec

from gitscalpel.changesets.answers import quote_path, short_branch_name
from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, SYMLINK, Change, Oid
from gitscalpel.errors import ScalpelError, TryAgain, WorldMoved
from gitscalpel.git import (
    checkout,
    commits,
    index,
    journal,
    oplog,
    ref_transaction,
    refs,
    working_tree,
)
from gitscalpel.git.checkout import BlockedPath, PlannedChange, blocked_error, find_unsaved
from gitscalpel.git.journal import DiskChange, Journal, JournalRow
from gitscalpel.git.object_store import Store
from gitscalpel.git.ref_transaction import RefTransaction
from gitscalpel.git.refs import OPS, SAVED, RefUpdate, require_movable
from gitscalpel.git.repository import Repository, read_head
from gitscalpel.git.working_tree import WorkTree
from gitscalpel.system import serialization
from gitscalpel.system.failpoint import step
from gitscalpel.system.repo_lock import Lock
from gitscalpel.transaction import recovery

if TYPE_CHECKING:
    from gitscalpel.git.checkout import Uncommitted
    from gitscalpel.git.journal import DiskRestore, FileFate
    from gitscalpel.git.oplog import Record


class Movement(msgspec.Struct, frozen=True):
    """Move of a branch from one commit to another."""

    branch: str
    # old and new: commits before and after, or None if unborn
    old: Oid | None
    new: Oid | None
    record: Record  # record for the operation log; branch, before and after are filled in
    refs: tuple[RefUpdate, ...] = ()  # updates of other refs in the same ref transaction
    # files adopted from the user's disk; a file that is unchanged since counts as clean
    adopted: Uncommitted = msgspec.field(default_factory=dict)
    # uncommitted contents that the user's disk gets instead of the new commit's files
    restored: Uncommitted = msgspec.field(default_factory=dict)
    # state of the disk before the step that this move reverts
    restores: Mapping[str, DiskRestore] = msgspec.field(default_factory=dict)


class Rewrite(msgspec.Struct, frozen=True):
    """Change of files of the checkout without a branch."""

    changes: tuple[Change, ...]  # changes by path, with the ids and modes of the bytes on disk
    record: Record  # record for the operation log; place, before and after are filled in


class FileOutcome(msgspec.Struct, frozen=True):
    """Outcome of an update for one of the user's files."""

    path: str
    # ``written``, ``removed``, ``merged`` (uncommitted changes stay on top), ``restored`` (to its earlier
    # state, with uncommitted changes), ``kept`` (it was up to date), ``left`` (unchanged, because the
    # earlier content has expired) or ``skipped`` (sparse checkout, submodule)
    what: FileFate


class Landed(msgspec.Struct, frozen=True):
    """Completed move of a branch."""

    before: Oid | None
    after: Oid | None
    entry: Oid  # commit of the operation log that records the move
    # outcome for each of the user's files; empty if the branch is not checked out here
    files: tuple[FileOutcome, ...]


class LockedRepository(msgspec.Struct, frozen=True):
    """A repository to update. The caller holds the lock and has recovered before."""

    repo: Repository
    store: Store
    lock: Lock


class _Plan(msgspec.Struct, frozen=True):
    """A planned update."""

    journal: Journal  # all refs that move and all paths that change, as written to the journal
    files: Sequence[PlannedChange]  # planned changes of the files of this worktree
    branch: str = ""  # branch that files and index follow; "" if only files are written
    signature: tuple[int, ...] | None = None  # signature of the index when the update was planned


class _LogSteps:
    """Log records of one update, and the refs that move with them."""

    def __init__(self, locked_repo: LockedRepository) -> None:
        self._ground = locked_repo
        self.entries: list[Oid] = []
        self.log = oplog.find_log_tip(locked_repo.repo, locked_repo.store)
        self.refs: list[RefUpdate] = []

    def add(self, record: Record, updates: Sequence[RefUpdate]) -> None:
        above = self.entries[-1] if self.entries else self.log
        self.entries.append(oplog.write_entry(self._ground.store, above, record))
        self.refs += updates

    @property
    def log_update(self) -> RefUpdate:
        return RefUpdate(OPS, self.log, self.entries[-1])


DONE: deque[str] = deque(maxlen=9)
"""Descriptions of this process's updates, for an interrupted caller, who must not repeat them."""


def move(locked_repo: LockedRepository, movements: Sequence[Movement]) -> tuple[Landed, ...]:
    """Move one branch along several commits: all moves or none.

    If an error is raised, refs, index and files are as before. No other process sees the branch at a commit
    before the last one.

    Raises:
        WorldMoved: ``target_moved``, ``dirty_overlap``, ``branch_in_use`` or ``operation_in_progress``.
        TryAgain: ``busy``: another process holds the index or a ref.
        GateRefused: ``hook_failed``: the reference-transaction hook failed.
    """
    repo, store = locked_repo.repo, locked_repo.store
    first, last = movements[0], movements[-1]
    require_movable(repo, first.branch)
    now = store.resolve(first.branch)
    if now != first.old:
        raise _moved_error(first, now)
    is_here = repo.work_tree is not None and read_head(repo.git, repo.git_dir) == first.branch
    description = _describe_records([each.record for each in movements])
    with ExitStack() as begun:  # git starts while the update is still planned
        transaction = begun.enter_context(RefTransaction(repo, f"scalpel: {description}", locked_repo.lock))
        signature = index.index_stamp(repo.git_dir)
        files, disk_changes, saved = _plan_files(locked_repo, movements, is_here=is_here)
        steps = _LogSteps(locked_repo)
        for each in movements:
            disk = (
                tuple(disk_changes)
                if len(movements) == 1
                else _own_changes(store, movements, each, disk_changes)
            )
            record = msgspec.structs.replace(
                each.record,
                branch=each.branch,
                before=each.old,
                after=each.new,
                place=journal.worktree_name(repo) if is_here else "",
                disk=disk,
            )
            name = refs.DISK + record.tx
            old_disk, new_disk = store.resolve(name), saved if disk else None
            steps.add(
                record, [*each.refs, *([] if old_disk == new_disk else [RefUpdate(name, old_disk, new_disk)])]
            )
        branch = RefUpdate(first.branch, first.old, last.new)
        updates = (branch, steps.log_update, *steps.refs)
        intent = _make_journal(repo, description, updates, files, follows=is_here)
        _carry_out(locked_repo, _Plan(intent, files, first.branch, signature), begun, transaction)
    outcomes = tuple(FileOutcome(each.row.path, each.what) for each in files)
    pairs = zip(movements, steps.entries, strict=True)
    return tuple(Landed(each.old, each.new, entry, outcomes) for each, entry in pairs)


def rewrite(locked_repo: LockedRepository, wanted: Sequence[Rewrite]) -> list[Oid]:
    """Change files of the checkout in several steps, all or none. Return the commits of the operation log.

    Each step is based on the one before. The store has the new bytes already.

    Raises:
        WorldMoved: ``target_moved`` or ``dirty_overlap``: a file is not in its expected state.
    """
    repo, store = locked_repo.repo, locked_repo.store
    merged: dict[str, Change] = {}
    for path, old, new in (change for each in wanted for change in each.changes):
        merged[path] = Change(path, merged[path].old if path in merged else old, new)
    changes = list(merged.values())
    work = working_tree.open_working_tree(repo, store)
    _require_unchanged(repo, work, changes)
    for path, old, _ in changes:  # stored, so that either state can be restored
        if old is not None and store.write_blob(work.read(path)) != old.oid:
            raise changed_error(path)
    description = _describe_records([each.record for each in wanted])
    with ExitStack() as begun:  # git starts while the update is still planned
        transaction = begun.enter_context(RefTransaction(repo, f"scalpel: {description}", locked_repo.lock))
        steps = _record_rewrites(locked_repo, wanted)
        rows = [
            JournalRow(path=path, index=None, new=None, before=old, after=new) for path, old, new in changes
        ]
        files = [PlannedChange(row, "written") for row in rows]
        updates = (*steps.refs, steps.log_update)
        intent = _make_journal(repo, description, updates, files, follows=True)
        _carry_out(locked_repo, _Plan(intent, files), begun, transaction)
    return steps.entries


def note(locked_repo: LockedRepository, wanted: Rewrite) -> None:
    steps = _record_rewrites(locked_repo, [wanted])
    with locked_repo.store.lasting():
        words = f"scalpel: {_describe_records([wanted.record])}"
        ref_transaction.update_refs(locked_repo.repo, [*steps.refs, steps.log_update], words)


def _describe_records(records: Sequence[Record]) -> str:
    return ", ".join(f"{record.kind} {record.tx}" for record in records)


def _make_journal(
    repo: Repository,
    description: str,
    updates: Sequence[RefUpdate],
    files: Sequence[PlannedChange],
    *,
    follows: bool,
) -> Journal:
    """Return the journal of an update; ``follows`` if files of this worktree change with it."""
    root = str(repo.work_tree)
    if repo.git_dir == repo.common_dir and follows:
        root = os.path.relpath(root, repo.common_dir)
    return Journal(
        token=os.urandom(8).hex(),
        what=description,
        git_dir=os.path.relpath(repo.git_dir, repo.common_dir),
        work_tree=root if follows else None,
        refs=tuple(updates),
        rows=tuple(each.row for each in files),
    )


def _carry_out(
    locked_repo: LockedRepository, plan: _Plan, begun: ExitStack, transaction: RefTransaction
) -> None:
    """Carry out a plan completely, or roll it back if it fails."""
    intent = plan.journal
    with locked_repo.store.lasting():
        journal.write_journal(locked_repo.repo.scalpel_dir, intent)
        try:
            with begun.pop_all():
                step()
                transaction.prepare(intent.refs)
                _bring_files(locked_repo, plan, transaction)
            DONE.append(intent.what)
        except BaseException as error:
            spared = checkout.find_untouched(error)
            has_moved, notes = recovery.finish_or_roll_back(
                locked_repo.repo, locked_repo.store, locked_repo.lock, intent, spared
            )
            if has_moved:
                DONE.append(intent.what)
                return  # it was complete when the failure or the interrupt came
            if notes and isinstance(error, ScalpelError):
                raise error.but(more=f"; {'; '.join(notes)}", left=notes) from error
            raise
        with suppress(OSError):  # it is complete; the next process only has to remove the journal
            journal.remove_journal(locked_repo.repo.scalpel_dir)


def _bring_files(locked_repo: LockedRepository, plan: _Plan, transaction: RefTransaction) -> None:
    """Update files and index, and move the refs while the index is locked."""
    repo, store, token = locked_repo.repo, locked_repo.store, plan.journal.token
    with ExitStack() as locked:
        if plan.files and plan.branch:
            locked.enter_context(index.hold_index_lock(repo.git_dir, repo.scalpel_dir, token))
            git = repo.git.inheriting(locked_repo.lock)
            rows = plan.journal.rows
            if read_head(repo.git, repo.git_dir) != plan.branch:
                raise TryAgain("busy", "another branch has just been checked out", "try again")
            if index.index_stamp(repo.git_dir) != plan.signature:
                staged = index.read_index_entries(git, [row.path for row in rows])
                if any((staged[r.path].entry if r.path in staged else None) != r.index for r in rows):
                    raise TryAgain("busy", "the index has just been changed", "try again")
            copy = repo.scalpel_dir / "index.new"
            time = index.write_edited_copy(repo, git, copy, [(row.path, row.new, row.flags) for row in rows])
            file_stats = checkout.apply_plan(
                working_tree.open_working_tree(repo, store), plan.files, store.read, token
            )
            index.install_index(repo.git_dir / "index", copy, file_stats, time)
        elif not plan.branch:
            checkout.apply_plan(working_tree.open_working_tree(repo, store), plan.files, store.read, token)
        step()
        transaction.commit()


def _plan_files(
    locked_repo: LockedRepository, movements: Sequence[Movement], *, is_here: bool
) -> tuple[Sequence[PlannedChange], Sequence[DiskChange], Oid | None]:
    """Return the planned changes of files, the changes that no commit contains, and the uncommitted bytes.

    A ref holds the tree of these bytes from now on, so that gc keeps them if the landing is killed.
    """
    if not is_here:
        return (), (), None
    repo, store = locked_repo.repo, locked_repo.store
    old, new = (store.tree_of(commit) for commit in (movements[0].old, movements[-1].new))
    changes = store.difference(old, new)
    files, disk_changes = checkout.plan_checkout(
        repo,
        store,
        changes,
        new,
        adopted={path: entry for each in movements for path, entry in each.adopted.items()},
        restored={path: entry for each in movements for path, entry in each.restored.items()},
        back={path: restore for each in movements for path, restore in each.restores.items()},
    )
    states = find_unsaved(files, changes)
    if not states:
        return files, disk_changes, None
    saved = store.write_tree(None, states)
    last = store.resolve(SAVED)
    if last is None:
        refs.remove_broken_ref(repo, SAVED)
    with store.lasting():
        ref_transaction.update_refs(
            repo, [RefUpdate(SAVED, last, saved)], "scalpel: save what is uncommitted"
        )
    return files, disk_changes, saved


def _own_changes(
    store: Store, movements: Sequence[Movement], movement: Movement, disk_changes: Sequence[DiskChange]
) -> tuple[DiskChange, ...]:
    """Return the changes of the disk that no commit contains and that one movement alone makes."""
    if not disk_changes:
        return ()
    counts: Counter[str] = Counter()
    for each in movements:
        counts.update(_touched_paths(store, each))
    own_paths = {
        serialization.encode_path(path) for path in _touched_paths(store, movement) if counts[path] == 1
    }
    return tuple(row for row in disk_changes if row.path in own_paths)


def _touched_paths(store: Store, movement: Movement) -> set[str]:
    old, new = store.tree_of(movement.old), store.tree_of(movement.new)
    return {change.path for change in store.difference(old, new)}


def _moved_error(movement: Movement, now: Oid | None) -> WorldMoved:
    return WorldMoved(
        "target_moved",
        f"{short_branch_name(movement.branch)} is at {now or 'no commit'}, "
        f"not at {movement.old or 'no commit'}",
        "land again: the change is merged into the new tip and checked there",
        branch=movement.branch,
        expected=movement.old,
        actual=now,
    )


def _require_unchanged(repo: Repository, work: WorkTree, changes: Sequence[Change]) -> None:
    removed = {change.path for change in changes if change.new is None}
    for path, old, new in changes:
        if old is not None and old.mode not in (REGULAR, EXECUTABLE, SYMLINK):
            raise blocked_error(repo, [BlockedPath("in_the_way", path)])
        obstacle = work.obstacle(path)
        in_the_way = new is not None and obstacle is not None and obstacle not in removed
        if in_the_way or not work.same(checkout.find_remaining(work, path, removed), old):
            raise changed_error(path)


def changed_error(path: str) -> WorldMoved:
    return WorldMoved(
        "target_moved", f"{quote_path(path)} has just been changed", "try again", path=quote_path(path)
    )


def _record_rewrites(locked_repo: LockedRepository, wanted: Sequence[Rewrite]) -> _LogSteps:
    """Write the commits of both states of each step, and its record."""
    steps = _LogSteps(locked_repo)
    for each in wanted:
        name = refs.DISK + each.record.tx
        last = locked_repo.store.resolve(name)
        before = _write_state(locked_repo.store, each, [last] if last else [], "before")
        after = _write_state(locked_repo.store, each, [before], "after")
        place = journal.worktree_name(locked_repo.repo)
        record = msgspec.structs.replace(each.record, place=place, before=before, after=after)
        steps.add(record, [RefUpdate(name, last, after)])
    return steps


def _write_state(store: Store, wanted: Rewrite, parents: list[Oid], which: Literal["before", "after"]) -> Oid:
    """Write a commit that contains only the files of a step, before or after it."""
    sides = [(path, old if which == "before" else new) for path, old, new in wanted.changes]
    tree = store.write_tree(None, [(path, entry) for path, entry in sides if entry is not None])
    words = f"{which} {wanted.record.kind} {wanted.record.tx}"
    return store.write_raw_commit(
        commits.serialize_commit(tree, parents, words, oplog.committer_line(wanted.record))
    )
