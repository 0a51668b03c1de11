"""Move a branch and the user's checkout together, or files alone, atomically even if the process is killed.

Landing, undo and redo are the same movement. The order is: make the objects durable, write the journal,
lock the refs, update files and index, move the refs, clear the journal. No gate is called.

An edit of the checkout is a landing without a branch. Its old and new states are commits under the step's
own ref, ``refs/scalpel/disk/<id>``, kept as long as undone commits.

A failure is recovered by the same steps as a killed process, so that path is in constant use.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Literal

import msgspec

from gitscalpel.changesets.answers import quoted, short
from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, SYMLINK, Change, Oid
from gitscalpel.errors import ScalpelError, TryAgain, WorldMoved
from gitscalpel.git import checkout, commits, index, journal, oplog, ref_transaction, refs, working_tree
from gitscalpel.git.checkout import Blocked, Planned, blocked_error, unsaved
from gitscalpel.git.journal import DiskChange, Journal, Row
from gitscalpel.git.object_store import Store
from gitscalpel.git.oplog import Record
from gitscalpel.git.process import Git
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
    back: Mapping[str, DiskRestore] = msgspec.field(default_factory=dict)


class FileOutcome(msgspec.Struct, frozen=True):
    """What became of one of the user's files.

    Attributes:
        path: relative to the root.
        what: ``written``, ``removed``, ``merged`` (uncommitted changes stay on top), ``restored`` (it is as
            it was before, with what is uncommitted), ``kept`` (it is as it should be), ``left`` (as it is:
            what it was is not kept any more) or ``skipped`` (sparse checkout, submodule).
    """

    path: str
    what: FileFate


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


class Ground(msgspec.Struct, frozen=True):
    """Where something moves; the lock is held."""

    repo: Repository
    store: Store
    lock: Lock


DONE: deque[str] = deque(maxlen=9)
"""What this process did last, in words: who is interrupted now must not be told to do it again."""


def intended(
    ground: Ground, what: str, updates: Sequence[RefUpdate], rows: Sequence[Row], *, here: bool
) -> Journal:
    """What is about to be done, as it will be written down.

    Args:
        ground: where.
        what: for people.
        updates: every ref that moves, the one that the files follow first.
        rows: every path that is touched.
        here: files of this worktree follow.
    """
    repo = ground.repo
    return Journal(
        token=os.urandom(8).hex(),
        what=what,
        git_dir=os.path.relpath(repo.git_dir, repo.common_dir),
        work_tree=_root(repo) if here else None,
        refs=tuple(updates),
        rows=tuple(rows),
    )


@contextmanager
def carrying_out(ground: Ground, intent: Journal) -> Iterator[None]:
    """What is written down here is done in the block: all of it, or, where that raises, nothing of it."""
    with ground.store.lasting():
        journal.write(ground.repo.scalpel_dir, intent)
        try:
            yield
            DONE.append(intent.what)
        except BaseException as error:
            spared = checkout.spared(error)
            moved, said = recovery.heal(ground.repo, ground.store, ground.lock, intent, spared)
            if moved:
                DONE.append(intent.what)
                return  # it was done when the failure or the interrupt came
            if said and isinstance(error, ScalpelError):
                raise error.but(more=f"; {'; '.join(said)}", left=said) from error
            raise
        with suppress(OSError):  # it is done; whoever comes next finds nothing to finish, and clears it
            journal.clear(ground.repo.scalpel_dir)


def _root(repo: Repository) -> str:
    is_main = repo.git_dir == repo.common_dir
    return os.path.relpath(str(repo.work_tree), repo.common_dir) if is_main else str(repo.work_tree)


class _Plan(msgspec.Struct, frozen=True):
    """Movements of one branch, each from where the one before it went, and what becomes of the user's files.

    Attributes:
        movements: these.
        here: the branch is checked out here, so that files follow.
        signature: of the index when this was planned.
        files: what becomes of each; empty if it is not checked out here.
        untold: what the commits do not tell of that.
        saved: the tree that holds the user's uncommitted bytes; None: there are none that change.
    """

    movements: tuple[Movement, ...]
    here: bool
    signature: tuple[int, ...] | None
    files: tuple[Planned, ...] = ()
    untold: tuple[DiskChange, ...] = ()
    saved: Oid | None = None

    @property
    def branch(self) -> RefUpdate:
        """Where it goes as a whole."""
        first, last = self.movements[0], self.movements[-1]
        return RefUpdate(first.branch, first.old, last.new)


class _Prepared(msgspec.Struct, frozen=True):
    """A plan, and what is noted so that it can be finished or taken back.

    Attributes:
        plan: it.
        entries: the operation log's commit for each movement.
        journal: what is about to be done.
    """

    plan: _Plan
    entries: tuple[Oid, ...]
    journal: Journal

    @property
    def landed(self) -> tuple[Landed, ...]:
        """What will have been done."""
        files = tuple(FileOutcome(each.row.path, each.what) for each in self.plan.files)
        pairs = zip(self.plan.movements, self.entries, strict=True)
        return tuple(Landed(each.old, each.new, entry, files) for each, entry in pairs)


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
    require_movable(repo, first.branch)
    now = store.resolve(first.branch)
    if now != first.old:
        raise _moved(first, now)
    ground = Ground(repo, store, lock)
    what = ", ".join(f"{each.record.kind} {each.record.tx}" for each in movements)
    with ExitStack() as begun:
        transaction = begun.enter_context(RefTransaction(repo, f"scalpel: {what}", lock))
        prepared = _prepared(ground, _planned(ground, tuple(movements)), what)
        with carrying_out(ground, prepared.journal), begun.pop_all():
            _carry_out(ground, prepared, transaction)
    return prepared.landed


def _planned(ground: Ground, movements: tuple[Movement, ...]) -> _Plan:
    """What becomes of the user's files; their uncommitted bytes are held by a ref from now on."""
    repo, store = ground.repo, ground.store
    here = repo.work_tree is not None and read_head(repo.git, repo.git_dir) == movements[0].branch
    plan = _Plan(movements, here, index.signature(repo.git_dir))
    if not here:
        return plan
    old, new = (store.tree_of(commit) for commit in (plan.branch.old, plan.branch.new))
    changes = store.difference(old, new)
    files, untold = checkout.planned(
        repo,
        store,
        changes,
        new,
        adopted={path: entry for each in movements for path, entry in each.adopted.items()},
        restored={path: entry for each in movements for path, entry in each.restored.items()},
        back={path: how for each in movements for path, how in each.back.items()},
    )
    saved = _saved(ground, files, changes)
    return msgspec.structs.replace(plan, files=tuple(files), untold=tuple(untold), saved=saved)


def _saved(ground: Ground, files: Sequence[Planned], changes: Sequence[Change]) -> Oid | None:
    """The tree of the user's uncommitted bytes, so that no gc takes them from a killed landing."""
    states = unsaved(files, changes)
    if not states:
        return None
    saved = ground.store.write_tree(None, states)
    last = ground.store.resolve(SAVED)
    if last is None:
        refs.remove_broken(ground.repo, SAVED)
    update = RefUpdate(SAVED, last, saved)
    with ground.store.lasting():
        ref_transaction.update(ground.repo, [update], "scalpel: save what is uncommitted")
    return saved


def _prepared(ground: Ground, plan: _Plan, what: str) -> _Prepared:
    """Write the records, and say what is about to be done; nothing visible has changed yet."""
    repo, store = ground.repo, ground.store
    log = oplog.tip(repo, store)
    entries: list[Oid] = []
    for each in plan.movements:
        record = msgspec.structs.replace(
            each.record,
            branch=each.branch,
            before=each.old,
            after=each.new,
            place=journal.worktree_name(repo) if plan.here else "",
            disk=_untold_of(store, plan, each),
        )
        entries.append(oplog.write(store, entries[-1] if entries else log, record))
    others = (update for each in plan.movements for update in _refs_of(store, plan, each))
    updates = (plan.branch, RefUpdate(OPS, log, entries[-1]), *others)
    intent = intended(ground, what, updates, [each.row for each in plan.files], here=plan.here)
    return _Prepared(plan, tuple(entries), intent)


def _carry_out(ground: Ground, prepared: _Prepared, transaction: RefTransaction) -> None:
    """Lock the refs, bring files and index along, move the refs."""
    step()
    transaction.prepare(prepared.journal.refs)
    if prepared.journal.rows:
        _bring_along(ground, prepared, transaction)
    else:
        step()
        transaction.commit()


def _bring_along(ground: Ground, prepared: _Prepared, transaction: RefTransaction) -> None:
    repo, store = ground.repo, ground.store
    git_dir, folder, token = repo.git_dir, repo.scalpel_dir, prepared.journal.token
    git = repo.git.inheriting(ground.lock)
    with index.locked(git_dir, folder, token):
        _check_unchanged(repo, git, prepared)
        copy = folder / "index.new"
        changes = [(row.path, row.new, row.flags) for row in prepared.journal.rows]
        time = index.rewritten(repo, git, copy, changes)
        work = working_tree.files_of(repo, store)
        known = checkout.bring(work, prepared.plan.files, store.read, token)
        index.install(git_dir / "index", copy, known, time)
        step()
        transaction.commit()


def _check_unchanged(repo: Repository, git: Git, prepared: _Prepared) -> None:
    """Refuse if the user switched branches or staged something of ours since it was planned."""
    rows = prepared.journal.rows
    if read_head(repo.git, repo.git_dir) != prepared.plan.branch.ref:
        raise TryAgain("busy", "another branch has been checked out just now", "try again")
    if index.signature(repo.git_dir) != prepared.plan.signature:
        staged = index.entries(git, [row.path for row in rows])
        if any((staged[r.path].entry if r.path in staged else None) != r.index for r in rows):
            raise TryAgain("busy", "the index has been changed just now", "try again")


def _untold_of(store: Store, plan: _Plan, movement: Movement) -> tuple[DiskChange, ...]:
    """What the commits do not tell of what one movement does to the disk, as far as it alone does it."""
    if len(plan.movements) == 1 or not plan.untold:
        return plan.untold
    by: Counter[str] = Counter()
    for each in plan.movements:
        by.update(_paths(store, each))
    own = {serialization.spelt(path) for path in _paths(store, movement) if by[path] == 1}
    return tuple(row for row in plan.untold if row.path in own)


def _paths(store: Store, movement: Movement) -> set[str]:
    old, new = store.tree_of(movement.old), store.tree_of(movement.new)
    return {change.path for change in store.difference(old, new)}


def _refs_of(store: Store, plan: _Plan, movement: Movement) -> list[RefUpdate]:
    """The refs that move with one movement; one of them holds what its record tells of the disk."""
    name = refs.DISK + movement.record.tx
    now = store.resolve(name)
    held = plan.saved if _untold_of(store, plan, movement) else None
    own = [] if now == held else [RefUpdate(name, now, held)]
    return [*movement.refs, *own]


def _moved(movement: Movement, now: Oid | None) -> WorldMoved:
    name = short(movement.branch)
    return WorldMoved(
        "target_moved",
        f"{name} is at {now or 'no commit'}, not at {movement.old or 'no commit'}",
        "land again: the change is merged into the new tip and checked there",
        branch=movement.branch,
        expected=movement.old,
        actual=now,
    )


class Rewrite(msgspec.Struct, frozen=True):
    """Files from one state to another.

    Attributes:
        changes: by path, with the ids and modes of the bytes as they lie on the disk.
        record: for the operation log; place, before and after are filled in.
    """

    changes: tuple[Change, ...]
    record: Record


class Rewritten(msgspec.Struct, frozen=True):
    """Files that were written.

    Attributes:
        before: the commit that holds what they were.
        after: the commit that holds what they are.
        entry: the operation log's commit for it.
    """

    before: Oid
    after: Oid
    entry: Oid


def rewrite(repo: Repository, store: Store, lock: Lock, wanted: Rewrite) -> Rewritten:
    """Bring files from one state to another; see :func:`rewrite_along`."""
    (done,) = rewrite_along(repo, store, lock, [wanted])
    return done


def rewrite_along(repo: Repository, store: Store, lock: Lock, wanted: Sequence[Rewrite]) -> list[Rewritten]:
    """Bring files from state to state, each from where the one before left them, all of them or none.

    The store holds the new bytes already. The caller holds the lock, and has healed what was to be healed.

    Raises:
        WorldMoved: ``target_moved`` or ``dirty_overlap``: a file is not as it is said to be.
    """
    ground = Ground(repo, store, lock)
    work = working_tree.files_of(repo, store)
    changes = _together(wanted)
    _refuse_changed(repo, work, changes)
    _save_files(store, work, changes)
    what = ", ".join(f"{each.record.kind} {each.record.tx}" for each in wanted)
    with ExitStack() as begun:
        transaction = begun.enter_context(RefTransaction(repo, f"scalpel: {what}", lock))
        intent, done = _prepare_rewrites(ground, changes, wanted, what)
        with carrying_out(ground, intent), begun.pop_all():
            _write_files(ground, work, intent, transaction)
    return done


def note(repo: Repository, store: Store, wanted: Rewrite) -> Rewritten:
    """Record what somebody has done to files already; the caller holds the lock."""
    log = oplog.tip(repo, store)
    update, done = _recorded(repo, store, wanted, log)
    updates = [update, RefUpdate(OPS, log, done.entry)]
    with store.lasting():
        ref_transaction.update(repo, updates, f"scalpel: {wanted.record.kind} {wanted.record.tx}")
    return done


def _together(wanted: Sequence[Rewrite]) -> list[Change]:
    """What all of them do, by path."""
    known: dict[str, Change] = {}
    for path, old, new in (change for each in wanted for change in each.changes):
        known[path] = Change(path, known[path].old if path in known else old, new)
    return list(known.values())


def _refuse_changed(repo: Repository, work: WorkTree, changes: Sequence[Change]) -> None:
    """Refuse what is not as it was looked at."""
    removed = {change.path for change in changes if change.new is None}
    for path, old, new in changes:
        if old is not None and old.mode not in (REGULAR, EXECUTABLE, SYMLINK):
            raise blocked_error(repo, [Blocked("in_the_way", path)])
        obstacle = work.obstacle(path)
        in_the_way = new is not None and obstacle is not None and obstacle not in removed
        if in_the_way or not work.same(checkout.unless_emptied(work, path, removed), old):
            raise changed_now(path)


def changed_now(path: str) -> WorldMoved:
    """Somebody has changed a file since it was looked at."""
    return WorldMoved(
        "target_moved", f"{quoted(path)} has been changed just now", "try again", path=quoted(path)
    )


def _save_files(store: Store, work: WorkTree, changes: Sequence[Change]) -> None:
    """Store what the files hold, so that either state can be put back."""
    for path, old, _ in changes:
        if old is not None and store.write_blob(work.read(path)) != old.oid:
            raise changed_now(path)


def _prepare_rewrites(
    ground: Ground, changes: Sequence[Change], wanted: Sequence[Rewrite], what: str
) -> tuple[Journal, list[Rewritten]]:
    """Write the records, and say what is about to be done; nothing visible has changed yet."""
    repo, store = ground.repo, ground.store
    first = log = oplog.tip(repo, store)
    updates: list[RefUpdate] = []
    done: list[Rewritten] = []
    for each in wanted:
        update, rewritten = _recorded(repo, store, each, log)
        log = rewritten.entry
        updates.append(update)
        done.append(rewritten)
    rows = [Row(path=path, index=None, new=None, before=old, after=new) for path, old, new in changes]
    updates.append(RefUpdate(OPS, first, log))
    return intended(ground, what, updates, rows, here=True), done


def _recorded(
    repo: Repository, store: Store, wanted: Rewrite, log: Oid | None
) -> tuple[RefUpdate, Rewritten]:
    """The commits of both states, the log's entry above ``log``, and the ref that is to hold them."""
    name = refs.DISK + wanted.record.tx
    last = store.resolve(name)
    before = _state(store, wanted, [last] if last else [], "before")
    after = _state(store, wanted, [before], "after")
    record = msgspec.structs.replace(
        wanted.record, place=journal.worktree_name(repo), before=before, after=after
    )
    return RefUpdate(name, last, after), Rewritten(before, after, oplog.write(store, log, record))


def _state(store: Store, wanted: Rewrite, parents: list[Oid], which: Literal["before", "after"]) -> Oid:
    """A commit of what the files were, or are to be; of these files alone."""
    sides = [(path, old if which == "before" else new) for path, old, new in wanted.changes]
    tree = store.write_tree(None, [(path, entry) for path, entry in sides if entry is not None])
    words = f"{which} {wanted.record.kind} {wanted.record.tx}"
    return store.write_raw_commit(commits.serialize(tree, parents, words, oplog.signature(wanted.record)))


def _write_files(ground: Ground, work: WorkTree, intent: Journal, transaction: RefTransaction) -> None:
    """Lock the refs, bring the files along, move the refs."""
    step()
    transaction.prepare(intent.refs)
    planned = [Planned(row, "written") for row in intent.rows]
    checkout.bring(work, planned, ground.store.read, intent.token)
    step()
    transaction.commit()
