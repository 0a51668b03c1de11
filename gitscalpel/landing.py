"""Moves a branch, and the user's checkout with it; all of it happens or nothing, also when killed.

Landing, undo and redo are the same movement. In this order: objects made
durable, the intent written down, the refs locked, files and index brought
along, the refs moved, the intent cleared. It calls no gate.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress

import msgspec

from gitscalpel import recovery, wire
from gitscalpel.errors import TryAgain, WorldMoved
from gitscalpel.failpoint import step
from gitscalpel.git import checkout, index, journal, oplog, raw, refs
from gitscalpel.git.checkout import Uncommitted
from gitscalpel.git.journal import Journal
from gitscalpel.git.occupied import refuse_if_occupied
from gitscalpel.git.oplog import Record
from gitscalpel.git.plan import Planned, What, unsaved
from gitscalpel.git.raw import Back, Raw
from gitscalpel.git.refs import OPS, SAVED, RefTransaction, RefUpdate
from gitscalpel.git.repository import Repository, read_head
from gitscalpel.git.store import Store
from gitscalpel.lock import Lock
from gitscalpel.snapshot import Change, Oid


class Movement(msgspec.Struct, frozen=True):
    """A branch from one commit to another.

    Attributes:
        branch: ``refs/heads/…``.
        old: where it must be now; None: unborn.
        new: where it goes; None: back to unborn.
        record: for the operation log; branch, before and after are filled in.
        refs: refs that move in the same ref transaction.
        adopted: what was taken from the user's disk; a file that is still so counts as clean.
        restored: what the user's disk is to hold instead of the new commit's files, uncommitted.
        back: how the disk was before what this takes back.
    """

    branch: str
    old: Oid | None
    new: Oid | None
    record: Record
    refs: tuple[RefUpdate, ...] = ()
    adopted: Uncommitted = msgspec.field(default_factory=dict)
    restored: Uncommitted = msgspec.field(default_factory=dict)
    back: Mapping[str, Back] = msgspec.field(default_factory=dict)


class FileOutcome(msgspec.Struct, frozen=True):
    """What became of one of the user's files.

    Attributes:
        path: relative to the root.
        what: ``written``, ``removed``, ``merged`` (uncommitted changes stay on top), ``restored`` (it is as
            it was before, with what is uncommitted), ``kept`` (it is as it should be), ``left`` (as it is:
            what it was is not kept any more) or ``skipped`` (sparse checkout, submodule).
    """

    path: str
    what: What


class Landed(msgspec.Struct, frozen=True):
    """A movement that was made.

    Attributes:
        before: where the branch was.
        after: where it is.
        entry: the operation log's commit for it.
        files: what became of the user's files; empty if the branch is not checked out here.
    """

    before: Oid | None
    after: Oid | None
    entry: Oid
    files: tuple[FileOutcome, ...]


def move(repo: Repository, store: Store, lock: Lock, movement: Movement) -> Landed:
    """Make one movement; see :func:`move_along`."""
    (landed,) = move_along(repo, store, lock, [movement])
    return landed


def move_along(
    repo: Repository, store: Store, lock: Lock, movements: Sequence[Movement]
) -> tuple[Landed, ...]:
    """Make movements of one branch, each from where the one before it went, all of them or none.

    Whatever is refused leaves refs, index and files as they were. The branch is never seen where one of
    them went but the last. The caller holds the lock, and has healed what there was to heal.

    Raises:
        WorldMoved: ``target_moved``, ``dirty_overlap``, ``branch_in_use`` or ``operation_in_progress``.
        TryAgain: ``busy``: somebody else holds the index or a ref.
        GateRefused: ``hook_failed``: the reference-transaction hook said no.
    """
    first = movements[0]
    refuse_if_occupied(repo, first.branch)
    now = store.resolve(first.branch)
    if now != first.old:
        raise _moved(first, now)
    landing = _Landing(repo, store, lock, movements)
    planned = landing.plan()
    entries = landing.prepare(oplog.tip(repo, store))
    files = tuple(FileOutcome(row.path, what) for row, what in planned)
    landed = tuple(
        Landed(each.old, each.new, entry, files) for each, entry in zip(movements, entries, strict=True)
    )
    try:
        landing.carry_out()
    except BaseException:
        moved, _ = recovery.heal(repo, store, lock, landing.journal)
        if not moved:
            raise
        return landed  # it had landed when the failure or the interrupt came
    with suppress(OSError):  # it has landed; whoever comes next finds nothing to finish, and clears it
        journal.clear(repo.scalpel_dir)
    return landed


class _Landing:
    """Movements on their way."""

    journal: Journal

    def __init__(self, repo: Repository, store: Store, lock: Lock, movements: Sequence[Movement]) -> None:
        self._repo = repo
        self._lock = lock
        self._git = repo.git.inheriting(lock)
        self._store = store
        self._movements = movements
        self._branch, self._old, self._new = movements[0].branch, movements[0].old, movements[-1].new
        self._here = repo.work_tree is not None and read_head(repo.git, repo.git_dir) == self._branch
        self._signature = index.signature(repo.git_dir)
        self._planned: list[Planned] = []
        self._untold: list[Raw] = []
        self._saved: Oid | None = None

    def plan(self) -> list[Planned]:
        """What becomes of the user's files; nothing if the branch is not checked out here."""
        if not self._here:
            return self._planned
        old, new = (self._tree(commit) for commit in (self._old, self._new))
        deltas = self._store.difference(old, new)
        self._planned, self._untold = checkout.planned(
            self._repo,
            self._store,
            deltas,
            new,
            adopted={path: entry for each in self._movements for path, entry in each.adopted.items()},
            restored={path: entry for each in self._movements for path, entry in each.restored.items()},
            back={path: how for each in self._movements for path, how in each.back.items()},
        )
        self._save(deltas)
        return self._planned

    def prepare(self, log: Oid | None) -> list[Oid]:
        """Write the records and the journal, everything durable; nothing visible has changed yet.

        Returns:
            the log's commit for each movement.
        """
        entries: list[Oid] = []
        for each in self._movements:
            record = msgspec.structs.replace(
                each.record,
                branch=each.branch,
                before=each.old,
                after=each.new,
                place=raw.place(self._repo) if self._here else "",
                disk=self._untold_of(each),
            )
            entries.append(oplog.write(self._store, entries[-1] if entries else log, record))
        self._store.sync()
        updates = (RefUpdate(self._branch, self._old, self._new), RefUpdate(OPS, log, entries[-1]))
        self.journal = Journal(
            token=os.urandom(8).hex(),
            what=", ".join(f"{each.record.kind} {each.record.tx}" for each in self._movements),
            git_dir=os.path.relpath(self._repo.git_dir, self._repo.common_dir),
            work_tree=self._root() if self._here else None,
            refs=(*updates, *(update for each in self._movements for update in self._refs_of(each))),
            rows=tuple(row for row, _ in self._planned),
        )
        journal.write(self._repo.scalpel_dir, self.journal)
        return entries

    def carry_out(self) -> None:
        """Lock the refs, bring files and index along, move the refs."""
        message = f"scalpel: {self.journal.what}"
        step()
        with RefTransaction(self._repo, self.journal.refs, message, self._lock) as transaction:
            transaction.prepare()
            if self.journal.rows:
                self._with_index(transaction)
            else:
                step()
                transaction.commit()

    def _with_index(self, transaction: RefTransaction) -> None:
        git_dir, folder, token = self._repo.git_dir, self._repo.scalpel_dir, self.journal.token
        with index.locked(git_dir, folder, token):
            self._check_unchanged()
            copy = folder / "index.new"
            changes = [(row.path, row.new, row.flags) for row in self.journal.rows]
            index.rewritten(self._git, git_dir / "index", copy, changes)
            work = checkout.files_of(self._repo, self._store)
            known = checkout.bring(work, self._planned, self._store.read, token)
            index.install(git_dir / "index", copy, known)
            step()
            transaction.commit()

    def _check_unchanged(self) -> None:
        """Refuse if the user switched branches or staged something of ours since it was planned."""
        rows = self.journal.rows
        if read_head(self._repo.git, self._repo.git_dir) != self._branch:
            raise TryAgain("busy", "another branch has been checked out just now", "try again")
        if index.signature(self._repo.git_dir) != self._signature:
            staged = index.entries(self._git, [row.path for row in rows])
            if any((staged[r.path].entry if r.path in staged else None) != r.index for r in rows):
                raise TryAgain("busy", "the index has been changed just now", "try again")

    def _save(self, deltas: Sequence[Change]) -> None:
        """Hold the user's uncommitted bytes by a ref, so that no gc takes them from a killed landing."""
        states = unsaved(self._planned, deltas)
        if states:
            saved = RefUpdate(SAVED, self._store.resolve(SAVED), self._store.write_tree(None, states))
            refs.update(self._repo, [saved], "scalpel: save what is uncommitted")

            self._saved = saved.new

    def _untold_of(self, movement: Movement) -> tuple[Raw, ...]:
        """What the commits do not tell of what one movement does to the disk, as far as it alone does it."""
        if len(self._movements) == 1 or not self._untold:
            return tuple(self._untold)
        by: Counter[str] = Counter()
        for each in self._movements:
            by.update(self._paths(each))
        own = {wire.spelt(path) for path in self._paths(movement) if by[path] == 1}
        return tuple(row for row in self._untold if row.path in own)

    def _paths(self, movement: Movement) -> set[str]:
        old, new = self._tree(movement.old), self._tree(movement.new)
        return {delta.path for delta in self._store.difference(old, new)}

    def _refs_of(self, movement: Movement) -> list[RefUpdate]:
        """The refs that move with one movement; one of them holds what its record tells of the disk."""
        name = refs.DISK + movement.record.tx
        now = self._store.resolve(name)
        held = self._saved if self._untold_of(movement) else None
        own = [] if now == held else [RefUpdate(name, now, held)]
        return [*movement.refs, *own]

    def _root(self) -> str:
        repo = self._repo
        is_main = repo.git_dir == repo.common_dir
        return os.path.relpath(str(repo.work_tree), repo.common_dir) if is_main else str(repo.work_tree)

    def _tree(self, commit: Oid | None) -> Oid | None:
        return None if commit is None else self._store.commit(commit).tree


def _moved(movement: Movement, now: Oid | None) -> WorldMoved:
    name = movement.branch.removeprefix("refs/heads/")
    return WorldMoved(
        "target_moved",
        f"{name} is at {now or 'no commit'}, not at {movement.old or 'no commit'}",
        "land again: the change is merged into the new tip and checked there",
        branch=movement.branch,
        expected=movement.old,
        actual=now,
    )
