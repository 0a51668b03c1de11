"""Write files of the user's checkout atomically, without moving a branch or changing the index.

This is a landing without a branch: make the old and new content durable, write the journal, update the
files, move the operation log. Both states are commits under the step's own ref,
``refs/scalpel/disk/<id>``, kept as long as undone commits.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Literal

import msgspec

from gitscalpel.changesets.answers import quoted
from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, SYMLINK, Change, Oid
from gitscalpel.errors import WorldMoved
from gitscalpel.git import checkout, commits, journal, oplog, ref_transaction, refs, working_tree
from gitscalpel.git.checkout import Blocked, Planned, blocked_error
from gitscalpel.git.journal import Journal, Row
from gitscalpel.git.object_store import Store
from gitscalpel.git.oplog import Record
from gitscalpel.git.ref_transaction import RefTransaction
from gitscalpel.git.refs import OPS, RefUpdate
from gitscalpel.git.repository import Repository
from gitscalpel.git.working_tree import WorkTree
from gitscalpel.system.failpoint import step
from gitscalpel.system.repo_lock import Lock
from gitscalpel.transaction.movement.branch_update import Ground, carrying_out, intended


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
    _refuse(repo, work, changes)
    _save(store, work, changes)
    what = ", ".join(f"{each.record.kind} {each.record.tx}" for each in wanted)
    with ExitStack() as begun:
        transaction = begun.enter_context(RefTransaction(repo, f"scalpel: {what}", lock))
        intent, done = _prepared(ground, changes, wanted, what)
        with carrying_out(ground, intent), begun.pop_all():
            _carry_out(ground, work, intent, transaction)
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


def _refuse(repo: Repository, work: WorkTree, changes: Sequence[Change]) -> None:
    """Refuse what is not as it was looked at."""
    removed = {change.path for change in changes if change.new is None}
    for path, old, new in changes:
        if old is not None and old.mode not in (REGULAR, EXECUTABLE, SYMLINK):
            raise blocked_error(repo, [Blocked("in_the_way", path)])
        obstacle = work.obstacle(path)
        in_the_way = new is not None and obstacle is not None and obstacle not in removed
        if in_the_way or not work.same(checkout.unless_emptied(work, path, removed), old):
            raise moved(path)


def moved(path: str) -> WorldMoved:
    """Somebody has changed a file since it was looked at."""
    return WorldMoved(
        "target_moved", f"{quoted(path)} has been changed just now", "try again", path=quoted(path)
    )


def _save(store: Store, work: WorkTree, changes: Sequence[Change]) -> None:
    """Store what the files hold, so that either state can be put back."""
    for path, old, _ in changes:
        if old is not None and store.write_blob(work.read(path)) != old.oid:
            raise moved(path)


def _prepared(
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


def _carry_out(ground: Ground, work: WorkTree, intent: Journal, transaction: RefTransaction) -> None:
    """Lock the refs, bring the files along, move the refs."""
    step()
    transaction.prepare(intent.refs)
    planned = [Planned(row, "written") for row in intent.rows]
    checkout.bring(work, planned, ground.store.read, intent.token)
    step()
    transaction.commit()
