"""Brings changes to their end: landed on their branch, or, of open transactions, dropped.

Nothing on the way touches the user's checkout before landing, and landing is
the only thing that does. If the branch has moved meanwhile, the change is
merged with what it has become and judged again: what lands is what was checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from gitscalpel import landing, recovery
from gitscalpel.errors import ScalpelError, WaitsForPerson, WorldMoved
from gitscalpel.git import oplog, ref_transaction, refs
from gitscalpel.git.oplog import Record
from gitscalpel.git.refs import RefUpdate
from gitscalpel.movement import Movement
from gitscalpel.system import repo_lock
from gitscalpel.system.repo_lock import Lock
from gitscalpel.transaction import result
from gitscalpel.transaction.candidate import C, Candidate, refuse_nothing
from gitscalpel.transaction.check import judging
from gitscalpel.transaction.land import healing
from gitscalpel.transaction.land.patience import again, trying
from gitscalpel.transaction.land.tidy import tidy
from gitscalpel.transaction.land.turn import turn
from gitscalpel.transaction.rebase.onto import onto_tip
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.shadow import OpenTransaction, from_disk, gone, naming, refuse_before
from gitscalpel.transaction.stage import staging
from gitscalpel.transaction.worktrees import worktree
from gitscalpel.workspace import Workspace

if TYPE_CHECKING:
    from gitscalpel.transaction.land.company import Company

_ATTEMPTS = 10
"""Times that it is tried while others are faster: whoever has the turn competes with git by hand alone, but
on a busy machine it may be faster several times in a row."""
_GIT_AT_WORK = 10.0
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
        WorldMoved, TryAgain: see :func:`gitscalpel.landing.move`; the transaction stays open.
    """
    with naming(staged):
        return landed(ws, staged, timeout)


def landed(ws: Workspace, staged: OpenTransaction, timeout: float = repo_lock.PATIENCE) -> Result:
    """The same for a transaction that may yet be given up, so that no error names it."""

    def judged() -> OpenTransaction:
        now = staged.refreshed(ws)
        worktree.refuse_unstaged(ws, now)
        return judging.agreed(ws, ready(ws, now))

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
    """Make a change ready and land it, in the turn of its branch, while everybody else who lands there waits.

    ``prepare`` is :func:`ready`; for an edit that was asked for just now, it does the operations, or does
    them again where others have landed meanwhile (``anew.py``). Those who wait are landed as well, as far
    as they are in ``company``; without one it lands alone.

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
        change = judging.agreed(ws, change)
        # Taking others along takes a while, in which somebody has committed by hand; he may do so again.
        fellows = company.join(change) if company and not is_late else []
        is_late = True
        land_them = partial(_locked, ws, change, fellows, timeout)
        mine, *theirs = trying(land_them, min(timeout, _GIT_AT_WORK), ("busy",))
        if company:
            company.tell(theirs)
        return mine

    try:
        return again(attempt, _ATTEMPTS)
    except (WorldMoved, WaitsForPerson) as error:
        return Blocked(change, error)


def _locked(ws: Workspace, change: Candidate, fellows: Sequence[Candidate], timeout: float) -> list[Result]:
    """Land a change, and others on top of it if that goes: what stands against these keeps nobody else."""
    with healing.locked(ws, timeout) as held:
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
        with healing.locked(ws):
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
        staged = staging.opened(ws, change, ws.at(change.meta.branch))
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
        ScalpelError: what a gate says, or see :func:`gitscalpel.transaction.rebase.onto.onto_tip`.
    """
    refuse_before(ws, change)
    change = onto_tip(ws, change, merging)
    refuse_nothing(change)
    return judging.ready(ws, change)


def move(ws: Workspace, stack: Sequence[Candidate], held: Lock) -> list[Result]:
    """Move the branch along transactions that stand on each other, and take their own refs away with it.

    Raises:
        WaitsForPerson: somebody has said no while the last gates ran.
        ScalpelError: see :func:`gitscalpel.landing.move_along`.
    """
    stack = [judging.agreed(ws, staged) for staged in stack]
    landed = landing.move_along(ws.repo, ws.store, held, [_movement(ws, staged) for staged in stack])
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
