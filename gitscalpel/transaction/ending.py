"""Brings transactions to their end: landed on their branch, or dropped.

Nothing on the way touches the user's checkout before landing, and landing is
the only thing that does. If the branch has moved meanwhile, the change is
merged with what it has become and judged again: what lands is what was checked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import blake2b

import msgspec

from gitscalpel import landing, lock, paths, recovery
from gitscalpel.errors import DoesNotFit, ScalpelError, WaitsForPerson, WorldMoved
from gitscalpel.git import oplog, refs
from gitscalpel.git.oplog import Record
from gitscalpel.git.refs import RefUpdate
from gitscalpel.housekeeping.tidy import tidy
from gitscalpel.landing import Movement
from gitscalpel.operations import Operation
from gitscalpel.requests import Request
from gitscalpel.snapshot import Oid, Overlay
from gitscalpel.transaction import healing, judging, result, staging, worktree
from gitscalpel.transaction.patience import trying
from gitscalpel.transaction.rebase import onto_tip
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.shadow import Staged, from_disk, gone, load, refreshed
from gitscalpel.workspace import Workspace, agent

_ATTEMPTS = 3
_GIT_AT_WORK = 10.0
"""Seconds in which a git that somebody runs by hand should have let go of the index and of refs."""
_STANDS_AGAINST = ("dirty_overlap", "branch_in_use", "operation_in_progress", "approval_required", "rejected")
"""What somebody can clear away, so that the edit lands as it is."""


def perform(
    ws: Workspace, request: Request, onto: str | None = None, wait: float = 0.0, log: Oid | None = None
) -> Result:
    """A whole transaction: stage, check and land.

    Args:
        ws: where.
        request: what to do.
        onto: the branch; None: the one that is checked out.
        wait: for how many seconds to try again where something stands against it that may pass.
        log: the newest step of the operation log that is known not to be this very request.

    Raises:
        ScalpelError: see :func:`performed`; the last refusal.
    """
    left: list[str] = []

    def attempt() -> Result:
        try:
            return land(ws, load(ws, left[0])) if left else performed(ws, request, onto, log)
        except ScalpelError as error:
            left[:] = [error.data["tx"]] if "tx" in error.data else []
            raise

    return trying(attempt, wait)


def performed(
    ws: Workspace,
    request: Request,
    onto: str | None = None,
    log: Oid | None = None,
    timeout: float = lock.PATIENCE,
) -> Result:
    """A whole transaction, tried once.

    If others land on the same files meanwhile, the operations are done again on what these have
    become: what they address is found there, unless it is itself no longer what it was.

    Raises:
        ScalpelError: the first refusal; ``stale``, if a target has changed meanwhile.
    """
    with recovery.provisional(ws.repo) as tx:
        staged = staging.stage(ws, request, ws.target(onto), tx=tx)
        return _landed(ws, staged, timeout, lambda now: _done_again(ws, request, log, now))


def _landed(ws: Workspace, staged: Staged, timeout: float, ready: Callable[[Staged], Staged]) -> Result:
    try:
        landed = _in_turn(ws, staged, timeout, ready)
    except (WorldMoved, WaitsForPerson) as error:
        if error.code in _STANDS_AGAINST:
            error.data.setdefault("tx", staged.id)  # it waits until that is gone
        else:
            give_up(ws, staged, error)
        raise
    except BaseException as error:
        give_up(ws, staged, error)
        raise
    tidy(ws)
    return landed


def _done_again(ws: Workspace, request: Request, log: Oid | None, staged: Staged) -> Staged:
    """The transaction on the branch as it is now: the same change, or what its operations do there."""
    _refuse_repeated(ws, request, log)
    try:
        return _ready(ws, staged, merging=False)
    except WorldMoved as moved:
        if moved.code != "target_moved":
            raise
    again = msgspec.structs.replace(request, operations=_as_seen(ws, request, staged.meta.base))
    staged = staging.stage(ws, again, ws.at(staged.meta.branch), instead=staged)
    return agreed(ws, judging.ready(ws, staged))


def _refuse_repeated(ws: Workspace, request: Request, log: Oid | None) -> None:
    """Refuse what has landed since ``log``, for somebody who asked for the same."""
    for entry in oplog.read(ws.repo) if request.request_id else ():
        if entry.oid == log:
            return
        if entry.record.kind == "land" and request.request_id in entry.record.request_ids:
            raise WorldMoved(
                "stale", "the same request has just landed", "git scalpel log shows it", tx=entry.record.tx
            )


def give_up(ws: Workspace, staged: Staged, error: BaseException) -> None:
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


def land(ws: Workspace, staged: Staged, timeout: float = lock.PATIENCE) -> Result:
    """Bring a transaction to its target branch, and the user's checkout along.

    If the branch has moved since, the change is put on the new tip; where both changed the same
    files they are merged, and the gates judge the result.

    Raises:
        DoesNotFit: ``no_change``: there is nothing to land.
        GateRefused: a gate said no.
        WorldMoved, TryAgain: see :func:`gitscalpel.landing.move`; the transaction stays open.
    """
    try:
        worktree.refuse_unstaged(ws, staged)
        staged = _ready(ws, staged)  # so that nobody has to wait while it is judged
        landed = _in_turn(ws, staged, timeout, lambda now: _ready(ws, now))
    except ScalpelError as error:
        error.data.setdefault("tx", staged.id)  # it stays open
        raise
    tidy(ws)
    return landed


def _in_turn(ws: Workspace, staged: Staged, timeout: float, ready: Callable[[Staged], Staged]) -> Result:
    """Make a transaction ready and land it, while everybody else who lands on its branch waits.

    The lock of the landing itself is held for the landing alone. So a slow gate keeps nobody waiting
    but who would have to wait for its verdict, and only git, undo and redo can still be faster.
    """
    with turn(ws, staged.meta.branch, timeout):
        for left in reversed(range(_ATTEMPTS)):
            staged = ready(staged)
            try:
                return trying(partial(_locked, ws, staged, timeout), min(timeout, _GIT_AT_WORK), ("busy",))
            except WorldMoved as error:
                if error.code != "target_moved" or not left:
                    raise
    raise AssertionError("the last attempt either returns or raises")


def _locked(ws: Workspace, staged: Staged, timeout: float) -> Result:
    with healing.locked(ws, timeout) as held:
        (landed,) = move(ws, [staged], held)
        return landed


@contextmanager
def turn(ws: Workspace, branch: str, timeout: float = lock.PATIENCE) -> Iterator[None]:
    """The turn to land on a branch; who holds it takes the tool's lock for the landing alone.

    What is judged in it may take as long as its gates do.
    """
    name = blake2b(branch.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    with lock.hold(ws.repo.scalpel_dir / "turns", timeout, name) as held, lock.moving(held):
        yield


def refuse_nothing(staged: Staged) -> None:
    """Refuse to land a transaction that changes nothing.

    Raises:
        DoesNotFit: ``no_change``.
    """
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
    tidy(ws)
    return msgspec.structs.replace(result.of(staged), state="dropped")


def forget(ws: Workspace, staged: Staged) -> None:
    """Take an open transaction away that nobody has asked for by its name."""
    refs.update(ws.repo, gone(staged), f"scalpel: give up {staged.id}")


def _ready(ws: Workspace, staged: Staged, *, merging: bool = True) -> Staged:
    """The transaction on the branch as it is now, passed by every gate."""
    staged = onto_tip(ws, staged, merging)
    refuse_nothing(staged)
    return agreed(ws, judging.ready(ws, staged))


def agreed(ws: Workspace, staged: Staged) -> Staged:
    """The transaction, agreed to by those who have to.

    Raises:
        WaitsForPerson: ``rejected`` or ``approval_required``.
    """
    if not staged.meta.decided and not ws.at(staged.meta.branch).rules.ask_people:
        return staged
    from gitscalpel.transaction import approving

    return approving.agreed(ws, staged)


def move(ws: Workspace, stack: Sequence[Staged], held: lock.Lock) -> list[Result]:
    """Move the branch along transactions that stand on each other, and take their own refs away with it.

    Raises:
        WaitsForPerson: somebody has said no while the last gates ran.
        ScalpelError: see :func:`gitscalpel.landing.move_along`.
    """
    stack = [agreed(ws, staged) for staged in stack]
    landed = landing.move_along(ws.repo, ws.store, held, [_movement(ws, staged) for staged in stack])
    return [
        msgspec.structs.replace(result.of(staged), state="landed", landed=each, facts=staged.meta.facts)
        for staged, each in zip(stack, landed, strict=True)
    ]


def _movement(ws: Workspace, staged: Staged) -> Movement:
    meta = staged.meta
    return Movement(
        meta.branch,
        meta.base,
        staged.head,
        _record(ws, staged),
        gone(staged),
        adopted=from_disk(ws, meta.base, meta.adopted),
    )


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
        approved=meta.approved,
    )
