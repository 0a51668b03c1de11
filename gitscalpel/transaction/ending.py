"""Brings transactions to their end: landed on their branch, or dropped.

Nothing on the way touches the user's checkout before landing, and landing is
the only thing that does. If the branch has moved meanwhile, the change is
merged with what it has become and judged again: what lands is what was checked.
"""

from __future__ import annotations

import time
from contextlib import suppress

import msgspec

from gitscalpel import landing, lock, paths, recovery
from gitscalpel.errors import DoesNotFit, ScalpelError, WorldMoved
from gitscalpel.git import oplog, refs
from gitscalpel.git.oplog import Record
from gitscalpel.git.refs import RefUpdate
from gitscalpel.landing import Movement
from gitscalpel.operations import Operation
from gitscalpel.requests import Request
from gitscalpel.snapshot import Oid, Overlay
from gitscalpel.transaction import healing, result, staging, worktree
from gitscalpel.transaction.rebase import onto_tip
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.shadow import Staged, from_disk, gone, load, refreshed
from gitscalpel.workspace import Workspace, agent

_ATTEMPTS = 3


def perform(ws: Workspace, request: Request, onto: str | None = None, timeout: float = 10.0) -> Result:
    """A whole transaction: stage, check and land.

    If others land on the same files meanwhile, the operations are done again on what these have
    become: what they address is found there, unless it is itself no longer what it was.

    Raises:
        ScalpelError: the first refusal; ``stale``, if a target has changed meanwhile.
    """
    with recovery.provisional(ws.repo) as tx:
        return _performed(ws, request, onto, timeout, tx)


def _performed(ws: Workspace, request: Request, onto: str | None, timeout: float, tx: str) -> Result:
    staged = staging.stage(ws, request, ws.target(onto), tx=tx)
    try:
        return land(ws, staged, timeout, merging=False)
    except WorldMoved as moved:
        if moved.code != "target_moved":
            raise  # it waits until what stands against it is gone
    except BaseException as error:
        _give_up(ws, staged, error)
        raise
    staged = load(ws, staged.id)  # landing may have put it on a newer tip before it gave up
    try:
        with healing.locked(ws, timeout) as held:  # so that nobody is faster once more
            again = msgspec.structs.replace(request, operations=_as_seen(ws, request, staged.meta.base))
            staged = staging.stage(ws, again, ws.target(staged.meta.branch), instead=staged)
            return _move(ws, staged, held)
    except BaseException as error:
        if not (isinstance(error, WorldMoved) and error.code == "dirty_overlap"):
            _give_up(ws, staged, error)
        raise


def _give_up(ws: Workspace, staged: Staged, error: BaseException) -> None:
    """Leave nothing of a whole transaction that did not land, so that it can be asked for again."""
    with suppress(ScalpelError, OSError):
        forget(ws, refreshed(ws, staged))
    if isinstance(error, ScalpelError):
        error.data.pop("tx", None)


def _as_seen(ws: Workspace, request: Request, base: Oid | None) -> tuple[Operation, ...]:
    """The operations, each with the blob that its caller has seen."""
    seen = Overlay(ws.snapshot(ws.commit(base) if base else None))
    entries = [seen.entry(paths.resolve(op.path, seen)) if op.path else None for op in request.operations]
    return tuple(
        msgspec.structs.replace(op, base=entry.oid) if entry and op.base is None else op
        for op, entry in zip(request.operations, entries, strict=True)
    )


def land(ws: Workspace, staged: Staged, timeout: float = 10.0, *, merging: bool = True) -> Result:
    """Bring a transaction to its target branch, and the user's checkout along.

    If the branch has moved since, the change is put on the new tip; where both changed the same
    files they are merged, if ``merging``, and the gates judge the result.

    Raises:
        DoesNotFit: ``no_change``: there is nothing to land.
        GateRefused: a gate said no.
        WorldMoved, TryAgain: see :func:`gitscalpel.landing.move`; the transaction stays open.
    """
    try:
        return _landed(ws, staged, timeout, merging)
    except ScalpelError as error:
        error.data.setdefault("tx", staged.id)  # it stays open
        raise


def _landed(ws: Workspace, staged: Staged, timeout: float, merging: bool) -> Result:
    worktree.refuse_unstaged(ws, staged)
    for left in reversed(range(_ATTEMPTS)):
        staged = _ready(ws, staged, merging)
        try:
            with healing.locked(ws, timeout) as held:
                # If others were faster each time: while the lock is held, no landing of theirs comes first.
                return _move(ws, staged if left else _ready(ws, staged, merging), held)
        except WorldMoved as error:
            if error.code != "target_moved" or not left:
                raise
    raise AssertionError("the last attempt either returns or raises")


def _refuse_nothing(staged: Staged) -> None:
    if not staged.files:
        raise DoesNotFit(
            "no_change",
            f"transaction {staged.id} changes nothing",
            f"edit in it (--tx {staged.id}), or give it up: git scalpel drop {staged.id}",
            tx=staged.id,
        )


def drop(ws: Workspace, staged: Staged) -> Result:
    """Give a transaction up; its commit is kept for a while."""
    record = msgspec.structs.replace(
        _record(ws, staged), kind="drop", branch=staged.meta.branch, before=staged.meta.base, after=None
    )
    updates = (*gone(staged), RefUpdate(refs.KEEP + staged.id, None, staged.head))
    with healing.locked(ws):
        oplog.append(ws.repo, ws.store, record, updates)
    return msgspec.structs.replace(result.of(staged), state="dropped")


def forget(ws: Workspace, staged: Staged) -> None:
    """Take an open transaction away that nobody has asked for by its name."""
    refs.update(ws.repo, gone(staged), f"scalpel: give up {staged.id}")


def _ready(ws: Workspace, staged: Staged, merging: bool) -> Staged:
    """The transaction on the branch as it is now, passed by every gate."""
    staged = onto_tip(ws, staged, merging)
    _refuse_nothing(staged)
    return staged if staged.meta.checked else staging.check(ws, staged)


def _move(ws: Workspace, staged: Staged, held: lock.Lock) -> Result:
    """Move the branch, and take the transaction's own refs away with it."""
    meta = staged.meta
    movement = Movement(
        meta.branch,
        meta.base,
        staged.head,
        _record(ws, staged),
        gone(staged),
        adopted=from_disk(ws, meta.base, meta.adopted),
    )
    landed = landing.move(ws.repo, ws.store, held, movement)
    return msgspec.structs.replace(result.of(staged), state="landed", landed=landed)


def _record(ws: Workspace, staged: Staged) -> Record:
    meta = staged.meta
    return Record(
        kind="land",
        tx=staged.id,
        user=ws.user(),
        time=int(time.time()),
        message=meta.message,
        agent=agent(),
        paths=tuple(change.path for change in staged.files),
        request_ids=meta.request_ids,
        adopted=meta.adopted,
        note=msgspec.to_builtins(meta.facts),
    )
