"""Land a change on its branch, drop an open transaction, or remove a damaged one.

Only landing touches the user's checkout. If the branch has moved in the meantime, the change is merged
with the new tip and checked again, so exactly the checked tree lands.

A transaction is damaged if its record or its commit cannot be read or has no ref.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from gitscalpel.changesets.answers import Facts
from gitscalpel.changesets.file_tree import Changes
from gitscalpel.errors import DoesNotFit, ScalpelError, WaitsForPerson, WorldMoved
from gitscalpel.errors.messages import call
from gitscalpel.git import oplog, ref_transaction, refs
from gitscalpel.git.oplog import Record
from gitscalpel.git.refs import META, RefUpdate
from gitscalpel.system import repo_lock
from gitscalpel.system.repo_lock import Lock
from gitscalpel.transaction import result, worktree
from gitscalpel.transaction.candidate import C, Candidate, refuse_nothing
from gitscalpel.transaction.check import gate_runner
from gitscalpel.transaction.land.auto_gc import tidy
from gitscalpel.transaction.land.branch_lock import turn
from gitscalpel.transaction.land.rebase import onto_tip
from gitscalpel.transaction.movement import auto_recovery, branch_update, recovery
from gitscalpel.transaction.movement.branch_update import Movement
from gitscalpel.transaction.movement.retry import again, trying
from gitscalpel.transaction.open_transaction import OpenTransaction, from_disk, gone, naming, refuse_before
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.stage import stage
from gitscalpel.workspace import Workspace

if TYPE_CHECKING:
    from gitscalpel.transaction.land.group_landing import Company


_ATTEMPTS = 10
"""Times that it is tried while others are faster: whoever has the turn competes with git by hand alone, but
on a busy machine it may be faster several times in a row."""
GIT_LOCK_WAIT_S = 10.0
"""Seconds in which a git that somebody runs by hand should have let go of the index and of refs."""
_STANDS_AGAINST = ("dirty_overlap", "branch_in_use", "operation_in_progress", "approval_required", "rejected")
"""What somebody can clear away, so that the edit lands as it is."""


class Blocked(msgspec.Struct, frozen=True):
    """A change that cannot land now: as far as it has come, and what stands against it."""

    change: Candidate
    why: ScalpelError

    @property
    def waits(self) -> bool:
        """Whether somebody can clear that away, so that the change lands as it is."""
        return self.why.code in _STANDS_AGAINST


def land(ws: Workspace, staged: OpenTransaction, timeout: float = repo_lock.PATIENCE) -> Result:
    """Bring a transaction to its target branch, and the user's checkout along.

    If the branch has moved since, the change is put on the new tip; where both changed the same
    files they are merged, and the gates judge the result.

    Raises:
        DoesNotFit: ``no_change``: there is nothing to land.
        GateRefused: a gate said no.
        WorldMoved, TryAgain: see :func:`gitscalpel.transaction.movement.branch_update.move`; the
            transaction stays open.
    """
    with naming(staged):
        return landed(ws, staged, timeout)


def landed(ws: Workspace, staged: OpenTransaction, timeout: float = repo_lock.PATIENCE) -> Result:
    """The same for a transaction that may yet be given up, so that no error names it."""

    def judged() -> OpenTransaction:
        now = staged.refreshed(ws)
        worktree.refuse_unstaged(ws, now)
        return gate_runner.agreed(ws, ready(ws, now))

    # Before its turn, so that nobody has to wait for it; somebody else may land the same meanwhile.
    change = again(judged, _ATTEMPTS)
    with turn(ws, change.meta.branch, timeout):
        outcome = in_turn(ws, change, timeout, partial(ready, ws))
    if isinstance(outcome, Blocked):
        raise outcome.why
    tidy(ws)
    return outcome


def in_turn(
    ws: Workspace,
    change: C,
    timeout: float,
    prepare: Callable[[C], C],
    company: Company | None = None,
) -> Result | Blocked:
    """Make a change ready and land it under the branch lock, while other callers for that branch wait.

    ``prepare`` is :func:`ready`. For a new edit it applies the operations, and applies them again where
    others have landed meanwhile (``group_landing.py``). Waiting callers in ``company`` land as well.

    The lock of the landing itself is held for the landing alone. So a slow gate keeps nobody waiting
    but who would have to wait for its verdict, and only git, undo and redo can still be faster.

    Raises:
        ScalpelError: what refuses it for what it is.
        TakesLong: it was to be built in a moment, and is not.
    """
    is_late = False

    def attempt() -> Result:
        nonlocal change, is_late
        change = prepare(change.refreshed(ws))  # others may have agreed to it, or added to it, meanwhile
        change = gate_runner.agreed(ws, change)
        # Taking others along takes a while, in which somebody has committed by hand; he may do so again.
        fellows = company.join(change) if company and not is_late else []
        is_late = True
        land_them = partial(_locked, ws, change, fellows, timeout)
        mine, *theirs = trying(land_them, min(timeout, GIT_LOCK_WAIT_S), ("busy",))
        if company:
            company.tell(theirs)
        return mine

    try:
        return again(attempt, _ATTEMPTS)
    except (WorldMoved, WaitsForPerson) as error:
        return Blocked(change, error)


def _locked(ws: Workspace, change: Candidate, fellows: Sequence[Candidate], timeout: float) -> list[Result]:
    """Land a change, and others on top of it if that goes: what stands against these keeps nobody else."""
    with auto_recovery.locked(ws, timeout) as held:
        if fellows:
            with suppress(ScalpelError):
                return move(ws, [change, *fellows], held)
        return move(ws, [change], held)


def drop(ws: Workspace, staged: OpenTransaction) -> Result:
    """Give a transaction up, as it is by now; its commit is kept for a while.

    Raises:
        DoesNotFit: ``tx_closed``: somebody else was faster.
    """

    def attempt() -> OpenTransaction:
        with auto_recovery.locked(ws):
            now = staged.refreshed(ws)
            before = {"branch": now.meta.branch, "before": now.meta.base, "after": None}
            record = msgspec.structs.replace(_record(ws, now), kind="drop", **before)
            oplog.append(
                ws.repo, ws.store, record, (*gone(now), RefUpdate(refs.KEEP + now.id, None, now.head))
            )
        return now

    dropped = again(attempt, _ATTEMPTS)  # who adds to it does not need the lock
    tidy(ws)
    return msgspec.structs.replace(result.of(dropped), state="dropped")


def forget(ws: Workspace, staged: OpenTransaction) -> None:
    """Take an open transaction away that nobody has asked for by its name."""
    ref_transaction.update(ws.repo, gone(staged), f"scalpel: give up {staged.id}")


@contextmanager
def held(ws: Workspace, change: Candidate) -> Iterator[OpenTransaction]:
    """A change, held by refs while programs work on it: others can look at it, and no gc takes it.

    It is given up if the block raises; if this process is killed in it, by whoever heals next.
    """
    with recovery.provisional(ws.repo, change.id):
        staged = stage.opened(ws, change, ws.at(change.meta.branch))
        try:
            yield staged
        except BaseException:
            with suppress(ScalpelError, OSError):
                forget(ws, staged.refreshed(ws))
            raise


def ready(ws: Workspace, change: C, *, merging: bool = True) -> C:
    """The change on the branch as it is now, passed by every gate.

    Raises:
        DoesNotFit: ``no_change``.
        ScalpelError: what a gate says, or see :func:`gitscalpel.transaction.land.rebase.onto_tip`.
    """
    refuse_before(ws, change)
    change = onto_tip(ws, change, merging)
    refuse_nothing(change)
    return gate_runner.ready(ws, change)


def move(ws: Workspace, stack: Sequence[Candidate], held: Lock) -> list[Result]:
    """Move the branch along transactions that stand on each other, and take their own refs away with it.

    Raises:
        WaitsForPerson: somebody has said no while the last gates ran.
        ScalpelError: see :func:`gitscalpel.transaction.movement.branch_update.move_along`.
    """
    stack = [gate_runner.agreed(ws, staged) for staged in stack]
    landed = branch_update.move_along(ws.repo, ws.store, held, [_movement(ws, staged) for staged in stack])
    return [
        msgspec.structs.replace(result.of(staged), state="landed", landed=each, facts=staged.meta.facts)
        for staged, each in zip(stack, landed, strict=True)
    ]


def _movement(ws: Workspace, change: Candidate) -> Movement:
    meta = change.meta
    return Movement(
        meta.branch,
        meta.base,
        change.head,
        _record(ws, change),
        gone(change) if isinstance(change, OpenTransaction) else (),
        adopted=from_disk(ws, meta.base, meta.adopted),
    )


def _record(ws: Workspace, change: Candidate) -> Record:
    meta, hand = change.meta, ws.hand()
    if not change.is_open:
        hand["agent"] = meta.agent
    return Record(
        kind="land",
        tx=change.id,
        **hand,
        message=meta.message,
        paths=tuple(file.path for file in change.files),
        request_ids=meta.request_ids,
        requests=meta.requests,
        adopted=meta.adopted,
        note=msgspec.to_builtins(meta.facts),
        approved=meta.approved,
    )


def drop_damaged(ws: Workspace, prefix: str) -> Result:
    """Take away what is left of it; its commit is kept for a while, if that is there.

    Args:
        ws: where.
        prefix: the id, or its first characters.

    Raises:
        DoesNotFit: ``tx_not_found``.
    """
    tx = _find(ws, prefix)
    with auto_recovery.locked(ws):
        now = refs.values(ws.repo, [refs.TX + tx, META + tx])
        updates = [RefUpdate(ref, oid, None) for ref, oid in now.items()]
        head = now.get(refs.TX + tx)
        if head is not None and not ws.holds(head):
            head = None
        if head is not None:
            updates.append(RefUpdate(refs.KEEP + tx, None, head))
        words = "what was left of it could not be read"
        record = Record(kind="drop", tx=tx, **ws.hand(), message=words)
        oplog.append(ws.repo, ws.store, record, updates)
    return Result(
        tx=tx, state="dropped", branch="", message=words, base=None, head=head, files=Changes(), facts=Facts()
    )


def _find(ws: Workspace, prefix: str) -> str:
    wanted = refs.bare_id(prefix)
    names = refs.values(ws.repo, [refs.TX, META])
    found = {name.rsplit("/", 1)[1] for name in names}
    found = {tx for tx in found if len(wanted) >= refs.SHORTEST and tx.startswith(wanted)}
    if len(found) != 1:
        raise DoesNotFit(
            "tx_not_found",
            f"{'several transactions begin' if found else 'no transaction begins'} with {prefix!r}",
            f"{call('fsck')} names those that are damaged",
        )
    return found.pop()
