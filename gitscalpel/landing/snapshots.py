"""Snapshots of the checkout as commits: take, list, compare and restore them.

The tree of a snapshot has the exact bytes on disk. Snapshots expire like undone commits. A file missing from
the first of two snapshots is new only if that snapshot recorded its absence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from gitscalpel.changesets import answers, paths
from gitscalpel.changesets.answers import quote_path
from gitscalpel.changesets.file_tree import SUBMODULE, Change, Changes, Entry, Oid
from gitscalpel.changesets.requests import require_text
from gitscalpel.errors import Damaged, DoesNotFit, InputOutput, NotAllowed
from gitscalpel.errors.messages import call
from gitscalpel.git import checkout, commits, index, oplog, ref_transaction, refs, uncommitted, working_tree
from gitscalpel.git.refs import RefUpdate
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.git.uncommitted import ExcludedFiles, Presence
from gitscalpel.git.working_tree import WorkTree
from gitscalpel.landing.checkout_edit import (
    edit_result,
    make_record,
    plain_meta,
    require_checkout,
    retry_until_unchanged,
)
from gitscalpel.system.failpoint import step
from gitscalpel.transaction import branch_update, recovery, static_gates
from gitscalpel.transaction.branch_update import LockedRepository, Rewrite
from gitscalpel.transaction.result import Result
from gitscalpel.workspace import pruning
from gitscalpel.workspace.workspace import Workspace

_SKIPPED = "S"


class Differences(NamedTuple):
    """Differences between two states."""

    changes: list[Change]  # changes of files that both states contain
    notes: tuple[str, ...] = ()  # descriptions of changes that no step can contain


def compare(ws: Workspace, before: Oid | None, excluded: ExcludedFiles, after: Oid) -> Differences:
    """Compare the tree of an earlier state, which lacks the files ``excluded``, with that of the disk."""
    found = ws.store.difference(before, after)
    inner = frozenset(f"{change.path}/" for change in found if _is_repository(change.old))
    existed = ExcludedFiles(excluded.files | inner)
    missing = _Missing(ws, [change for change in found if change.new is None])
    changes: list[Change] = []
    notes: list[str] = []
    for each in found:
        change = Change(each.path, *map(_file_entry, (each.old, each.new)))
        if change != each:
            notes.append(_repository_change(ws, each))
        if change.old == change.new or (change.old is None and existed.covers(change.path)):
            continue
        if change.new is None and missing.has(change):
            notes += missing.words(change)
        else:
            changes.append(change)
    return Differences(changes, tuple(notes))


def split_restore(
    ws: Workspace, found: Sequence[Change], excluded: ExcludedFiles, *, is_named: bool
) -> tuple[list[Change], tuple[str, ...]]:
    """Split a restore into changes of files, and descriptions of what cannot be restored.

    ``excluded`` are files that the tree of the earlier state lacks. With ``is_named`` the caller has named
    the files, so that they are written outside of a sparse checkout as well.
    """
    inner = frozenset(f"{change.path}/" for change in found if _is_repository(change.new))
    existed = ExcludedFiles(excluded.files | inner)
    absent = [] if is_named else [change.path for change in found if change.old is None]
    sparse = dict(_iter_sparse(ws, absent))
    changes: list[Change] = []
    notes: list[str] = []
    for change in found:
        if _is_repository(change.old) or _is_repository(change.new):
            notes.append(_repository_left(change))
        elif change.new is None:
            changes += [] if existed.covers(change.path) else [change]
        elif sparse.get(change.path) != change.new:
            changes.append(change)
    return changes, tuple(notes)


def _repository_left(change: Change) -> str:
    name = quote_path(change.path)
    if _is_repository(change.old):
        return f"{name} is a separate repository: it stays as it is"
    return f"{name} was a separate repository, which a snapshot does not contain: it is not restored"


def _is_repository(entry: Entry | None) -> bool:
    return entry is not None and entry.mode == SUBMODULE


def _file_entry(entry: Entry | None) -> Entry | None:
    """Return the entry, or None for a nested repository, whose files git does not store."""
    return None if _is_repository(entry) else entry


def _repository_change(ws: Workspace, change: Change) -> str:
    """Return a description of the change of a nested repository, of which git stores only the commit."""
    path, old, new = change
    name, here = quote_path(path), Path(str(ws.repo.work_tree), path)
    if old is not None and new is not None and old.mode == new.mode:
        moved = f"{old.oid[:12]} to {new.oid[:12]}"
        return f"{name} is a separate repository, and its commit has changed from {moved}: undo leaves it"
    if _is_repository(new):
        return f"{name} has become a separate repository: undo leaves it"
    became = "has been removed"
    if new is not None:
        became = "is a file now"
    elif here.is_dir() and not here.is_symlink():
        became = "is a folder without a repository now"
    return f"{name} was a separate repository and {became}: what it contained cannot be recovered here"


class _Missing:
    """Files that are not in the second state, although they may exist."""

    def __init__(self, ws: Workspace, removed: Sequence[Change]) -> None:
        self._ws, self._work = ws, working_tree.open_working_tree(ws.repo, ws.store)
        self._disk = Presence(self._work.root)
        absent = [change.path for change in removed if not self._disk.may_have_file(change.path)]
        self._iter_sparse = dict(_iter_sparse(ws, absent))

    def has(self, change: Change) -> bool:
        """Return True if the file exists, may exist, or is outside the sparse checkout."""
        return self._disk.may_have_file(change.path) or self._iter_sparse.get(change.path) == change.old

    def words(self, change: Change) -> Iterable[str]:
        """Return notes on the file, which may have changed since it was last read."""
        path, old, _ = change
        if self._iter_sparse.get(path) == old:
            return
        try:
            is_same = self._work.same(self._work.state(path), old)
        except OSError:
            yield f"{quote_path(path)} cannot be read any more: undo leaves it"
            return
        if not is_same:
            yield f"{quote_path(path)} has changed, and git does not see it any more: undo leaves it"


def _iter_sparse(ws: Workspace, absent: Sequence[str]) -> Iterator[tuple[str, Entry]]:
    """Yield the files of the user's index that a sparse checkout does not write to disk."""
    if absent:
        for path, staged in index.read_index_entries(ws.repo.git, absent).items():
            if staged.flags.upper() == _SKIPPED:
                yield path, staged.entry


_SUBJECT = "scalpel: the checkout"
_AT = "at: "
"""Text before the time, since several snapshots may be made in one second."""
_LATEST = 32
"""A number greater than that of the snapshots made in one second."""
_NOTHING = ExcludedFiles()


class Snapshot(msgspec.Struct, frozen=True):
    """Snapshot of the checkout."""

    id: str
    commit: Oid  # commit that stores it
    message: str  # reason for it
    time: float  # time in seconds since the epoch
    left_out: tuple[str, ...] = ()  # descriptions of files that could not be read
    warnings: tuple[str, ...] = ()  # descriptions of files that restoring an earlier snapshot did not change


def take(ws: Workspace, message: str = "", *, apart: ExcludedFiles = _NOTHING) -> Snapshot:
    """Record all files of the checkout, tracked or not, except those that git ignores.

    If nothing has changed since the last snapshot and no message is given, the last one is returned. Files in
    ``apart``, which were ignored before, stay out although git no longer ignores them.

    Raises:
        TryAgain: ``busy``: another process takes a snapshot.
    """
    require_checkout(ws)
    message = require_text(message).strip()
    with recovery.hold_lock(ws) as held:
        tree, left_out, files = msgspec.structs.astuple(uncommitted.capture(ws.repo, held, apart))
        head = ws.repo.resolve("HEAD^{commit}")
        last = next(iter(list_snapshots(ws, _LATEST)), None)
        below = [*([head] if head else []), uncommitted.write_excluded(ws.store, files)]
        last_commit = ws.store.commit(last.commit) if last is not None and not message else None
        if last is not None and last_commit and (last_commit.tree, [*last_commit.parents]) == (tree, below):
            return msgspec.structs.replace(last, left_out=left_out)
        committer = oplog.committer_line(make_record(ws, "edit", "", "", ()))
        time = ws.session.clock()
        words = f"{message or _SUBJECT}\n\n{_AT}{time:.6f}"
        commit = ws.store.write_raw_commit(commits.serialize_commit(tree, below, words, committer))
        snapshot = Snapshot(refs.new_id(), commit, message, time, left_out)
        with ws.store.lasting():
            step()
            ref_transaction.update_refs(
                ws.repo, [RefUpdate(refs.SNAPSHOT + snapshot.id, None, commit)], "scalpel: snapshot"
            )
    return snapshot


def list_snapshots(ws: Workspace, most: int = 0) -> list[Snapshot]:
    """Return all snapshots, or those of the latest seconds that include at least ``most``, newest first."""
    snapshots = []
    for name, oid in _read_refs(ws, most).items():
        with suppress(ValueError, KeyError):  # else it is none of ours
            words, _, time = ws.store.commit(oid).message.rpartition(_AT)
            message = "" if words.strip() == _SUBJECT else words.strip()
            snapshots.append(Snapshot(name.removeprefix(refs.SNAPSHOT), oid, message, float(time)))
    return sorted(snapshots, key=lambda each: each.time, reverse=True)


def _read_refs(ws: Workspace, most: int) -> dict[str, Oid]:
    """Return the refs of all snapshots, or the latest; git cannot sort them if one names no commit."""
    if most:
        with suppress(InputOutput):
            options = ("--sort=-committerdate", f"--count={most}")
            return refs.read_refs(ws.repo, [*options, refs.SNAPSHOT])
    return refs.read_refs(ws.repo, [refs.SNAPSHOT])


def restore(ws: Workspace, wanted: str, names: Sequence[str] = ()) -> tuple[Snapshot, Result | None]:
    """Restore the checkout, or the named files and directories, from a snapshot.

    Return a snapshot of the previous state, and the result, which undo can revert, or None if nothing
    differed.

    Raises:
        DoesNotFit: ``tx_not_found``: there is no such snapshot; ``file_not_found``: neither the snapshot nor
            the checkout contains such a file.
        WorldMoved: ``stale``: another process keeps changing the files.
    """
    goal = find(ws, wanted)
    apart = uncommitted.read_excluded(ws.store, goal.commit)
    before = take(ws, apart=apart)
    notes: tuple[str, ...] = ()
    chosen = [paths.normalize_path(name) for name in names if name]
    words = f"Restore snapshot {goal.id}" + (f": {goal.message}" if goal.message else "")
    with recovery.hold_lock(ws) as held:

        def attempt() -> Result | None:
            nonlocal notes
            now = uncommitted.capture(ws.repo, held, apart).tree
            changes, notes = _find_restore(ws, goal, chosen if len(chosen) == len(names) else [], now)
            if not changes:
                return None
            paths.require_no_trailing_slashes(names, (change.path for change in changes))
            static_gates.require_allowed_changes(ws, changes)
            record = make_record(ws, "edit", refs.new_id(), words, changes)
            branch_update.rewrite(
                LockedRepository(ws.repo, ws.store, held), [Rewrite(tuple(changes), record)]
            )
            return edit_result(record.tx, plain_meta(words), Changes(changes, ws.store.read))

        done = retry_until_unchanged(attempt)
        return msgspec.structs.replace(before, warnings=notes), done


def find(ws: Workspace, wanted: str) -> Snapshot:
    """Return a snapshot by its id or a prefix. Raises :class:`DoesNotFit` (``tx_not_found``)."""
    matches = [
        each
        for each in list_snapshots(ws)
        if len(wanted) >= refs.MIN_ID_LENGTH and each.id.startswith(wanted)
    ]
    if len(matches) != 1:
        _require_readable(ws, wanted)
        raise DoesNotFit(
            "tx_not_found",
            f"{'several snapshots begin' if matches else 'no snapshot begins'} with {wanted!r}",
            f"{call('snapshot', list=True)} lists them",
            candidates=[each.id for each in matches],
        )
    return matches[0]


def _require_readable(ws: Workspace, wanted: str) -> None:
    """Raise if the ref of a snapshot exists, but not its commit."""
    broken = pruning.find_broken_refs(ws.repo) if len(wanted) >= refs.MIN_ID_LENGTH else {}
    for name, why in broken.items():
        if name.startswith(refs.SNAPSHOT + wanted):
            hint = f"{call('gc')} removes it; {call('snapshot', list=True)} lists the others"
            raise Damaged("corrupt", f"{name} cannot be restored: {why}", hint, ref=name)


def compare_snapshots(ws: Workspace, before: Snapshot, after: Snapshot) -> Differences:
    """Compare two snapshots, of which the second has just been taken."""
    old_tree, new_tree = (ws.store.tree_of(each.commit) for each in (before, after))
    return compare(ws, old_tree, uncommitted.read_excluded(ws.store, before.commit), Oid(str(new_tree)))


def _find_restore(ws: Workspace, goal: Snapshot, wanted: Sequence[str], now: Oid) -> Differences:
    """Return the changes that restore the disk, or the files and directories ``wanted``, from a snapshot."""
    disk_tree, snapshot_tree = (
        TreeSnapshot(ws.store, ws.repo.git, tree) for tree in (now, ws.snapshot(goal.commit).tree)
    )
    excluded = uncommitted.read_excluded(ws.store, goal.commit)
    for name in wanted:
        if disk_tree.entry(name) is None and snapshot_tree.entry(name) is None:
            raise _not_found_error(name, excluded)
    found = [
        change
        for change in ws.store.difference(disk_tree.tree, snapshot_tree.tree)
        if not wanted or any(_is_in(change.path, name) for name in wanted)
    ]
    changes, notes = split_restore(ws, found, excluded, is_named=bool(wanted))
    leaving = {change.path for change in changes if change.new is None}
    work = working_tree.open_working_tree(ws.repo, ws.store)
    states = (Change(path, checkout.find_remaining(work, path, leaving), new) for path, _, new in changes)
    changes = [change for change in states if not work.same(change.old, change.new)]
    for change in changes:
        _require_not_nested(work, change.path)
    return Differences(changes, notes)


def _not_found_error(name: str, excluded: ExcludedFiles) -> DoesNotFit:
    words = f"neither the snapshot nor the checkout contains {answers.quote_path(name)}"
    if excluded.covers(name) or f"{name}/" in excluded.files:
        words = (
            f"the snapshot does not contain {answers.quote_path(name)}, "
            "which git ignored or could not read then"
        )
    return DoesNotFit("file_not_found", words, "check the path", path=answers.quote_path(name))


def _require_not_nested(work: WorkTree, path: str) -> None:
    """Raise for a file that is now in a nested repository."""
    folders = [path[:at] for at, character in enumerate(path) if character == "/"]
    inner = next((folder for folder in folders if (work.root / folder / ".git").exists()), None)
    if inner is not None:
        raise NotAllowed(
            "path_denied",
            f"{answers.quote_path(inner)} is now a nested repository",
            "name the files and directories to restore, except this one",
            path=answers.quote_path(path),
        )


def _is_in(path: str, name: str) -> bool:
    return path == name or path.startswith(f"{name}/")
