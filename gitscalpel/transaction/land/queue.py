"""Land many open transactions in order: stacked on the tip in memory and checked together as a batch.

A batch that fails is halved until the transaction is found that fails on top of those before it. That
transaction stays open with the reason, and the others go on.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from gitscalpel.changesets.answers import short
from gitscalpel.changesets.rules import Rules
from gitscalpel.errors import BadCall, ScalpelError, TryAgain
from gitscalpel.errors.messages import BY_NAME, Spelling, arg
from gitscalpel.transaction import open_transaction, worktree
from gitscalpel.transaction.candidate import refuse_nothing
from gitscalpel.transaction.check import gate_runner
from gitscalpel.transaction.gate_result import change_rules
from gitscalpel.transaction.land import schedule
from gitscalpel.transaction.land.auto_gc import tidy
from gitscalpel.transaction.land.branch_lock import turn
from gitscalpel.transaction.land.finish import move
from gitscalpel.transaction.land.rebase import onto as rebased
from gitscalpel.transaction.movement import auto_recovery
from gitscalpel.transaction.movement.retry import PASSES
from gitscalpel.transaction.open_transaction import OpenTransaction
from gitscalpel.transaction.result import Result
from gitscalpel.workspace import TreeTarget, Workspace

_ATTEMPTS = 3
_PAUSE = 0.5


class Stayed(msgspec.Struct, frozen=True):
    """A transaction that stays open, and why."""

    tx: str
    error: ScalpelError


class Queue(msgspec.Struct, frozen=True):
    """What became of the transactions of a queue, in the order in which it was settled."""

    branch: str
    landed: tuple[Result, ...] = ()
    stayed: tuple[Stayed, ...] = ()

    def data(self, spelling: Spelling = BY_NAME) -> dict[str, Any]:
        """As an answer in JSON has it."""
        stayed = [(one, *one.error.told(spelling)) for one in self.stayed]
        return {
            "target": short(self.branch),
            "landed": [
                {"tx": one.tx, "commit": one.landed.after, "message": one.message}
                for one in self.landed
                if one.landed
            ],
            "stayed": [
                {"tx": one.tx, "code": one.error.code, "message": message, "hint": hint}
                for one, message, hint in stayed
            ],
        }


class _Waiting(msgspec.Struct, frozen=True):
    """A transaction as it was when the queue found it, and as it is now, on top of those before it."""

    found: OpenTransaction
    now: OpenTransaction


def queue(
    ws: Workspace,
    ids: Sequence[str] = (),
    onto: str | None = None,
    *,
    batch: int = 8,
    wait: float = 0.0,
    window: str | None = None,
) -> Queue:
    """Land open transactions in the order given, or all of a branch, the oldest first.

    Args:
        ws: where.
        ids: which; none: all that are open for the branch and change something.
        onto: their branch; None: the one that is checked out.
        batch: how many are judged together at most.
        wait: for how many seconds to try those again that something stands against that may pass.
        window: a part of the day outside of which nothing lands.

    Raises:
        BadCall: ``invalid_args``: a transaction is for another branch, or the batch has no size.
        DoesNotFit: ``tx_not_found``.
        TryAgain: ``busy``, or ``too_early``: the window opens later than ``wait`` is long.
    """
    if batch < 1:
        hint = f"give {arg('batch', 1)} or more"
        raise BadCall("invalid_args", "a batch holds at least one transaction", hint)
    branch = ws.repo.branch(onto)
    hours = None if window is None else schedule.read_window(window)
    deadline = time.monotonic() + wait
    if hours is not None:
        schedule.await_moment(hours.opens(schedule.now()), wait)
    waiting = [_Waiting(one, one) for one in _chosen(ws, ids, branch)]
    run = _Run(ws, branch)
    while True:
        for some in _batches(waiting, batch, ws.at(branch).rules):
            with turn(ws, branch):
                run.land_within(some, hours)
        again = [one.tx for one in run.stayed if one.error.code in PASSES]
        if not again or time.monotonic() >= deadline:
            tidy(ws)
            return Queue(branch, tuple(run.landed), tuple(run.stayed))
        run.stayed = [one for one in run.stayed if one.tx not in again]
        waiting = [_Waiting(one, one) for one in (open_transaction.load(ws, tx) for tx in again)]
        time.sleep(_PAUSE)


def _chosen(ws: Workspace, ids: Sequence[str], branch: str) -> list[OpenTransaction]:
    if not ids:
        return [
            staged for staged in open_transaction.every(ws) if staged.meta.branch == branch and staged.files
        ]
    found = {staged.id: staged for staged in (open_transaction.load(ws, tx) for tx in ids)}
    for staged in found.values():
        if staged.meta.branch != branch:
            raise BadCall(
                "invalid_args",
                f"{staged.id} is for {short(staged.meta.branch)}",
                f"queue the transactions of one branch; {arg('onto')} names it",
                tx=staged.id,
            )
    return list(found.values())


def _batches(waiting: Sequence[_Waiting], size: int, rules: Rules) -> Iterator[list[_Waiting]]:
    """So many at a time; what changes the rules ends a batch, since it is the tip's that count."""
    some: list[_Waiting] = []
    for one in waiting:
        some.append(one)
        if len(some) == size or change_rules(rules, one.found.files):
            yield some
            some = []
    if some:
        yield some


class _Run:
    """One run of the queue; the branch's turn is held while it lands."""

    def __init__(self, ws: Workspace, branch: str) -> None:
        self._ws, self._branch = ws, branch
        self.landed: list[Result] = []
        self.stayed: list[Stayed] = []

    def land(self, batch: Sequence[_Waiting]) -> None:
        """Land what of a batch can land: at once, so that nobody sees the branch at what was not judged."""
        while batch:
            stack, batch = self._stacked(batch)
            if stack:
                self._together(stack)

    def land_within(self, batch: Sequence[_Waiting], hours: schedule.Window | None) -> None:
        """Land a batch, unless the part of the day in which that may be is over."""
        now = schedule.now()
        if hours is None or hours.has(now):
            self.land(batch)
            return
        for one in batch:
            self._stays(one, schedule.too_early(hours.opens(now)))

    def _together(self, stack: Sequence[_Waiting], attempts: int = _ATTEMPTS) -> None:
        try:
            judged = gate_runner.together(self._ws, [one.now for one in stack])
            with auto_recovery.locked(self._ws) as held:
                self.landed += move(self._ws, judged, held)
        except ScalpelError as error:
            if error.code == "target_moved" and attempts > 1:
                self._again(stack, attempts - 1)
            elif len(stack) == 1 or isinstance(error, TryAgain):
                for one in stack:
                    self._stays(one, error)
            else:
                half = len(stack) // 2
                self.land(stack[:half])
                self.land(stack[half:])

    def _again(self, batch: Sequence[_Waiting], attempts: int) -> None:
        """The same on the branch as it is now."""
        stack, rest = self._stacked(batch)
        if stack:
            self._together(stack, attempts)
        self.land(rest)

    def _stacked(self, batch: Sequence[_Waiting]) -> tuple[list[_Waiting], Sequence[_Waiting]]:
        """Each on top of the one before it, and the rest of the batch, which waits for these to land.

        One that does not go where the branch is, or that a gate refuses there, stays. What others that
        have not landed stand against is not known before it is known whether they do.
        """
        target = self._ws.at(self._branch)
        stack: list[_Waiting] = []
        for at, one in enumerate(batch):
            try:
                now = self._on(target, one)
            except ScalpelError as error:
                if stack:
                    return stack, batch[at:]
                self._stays(one, error)
            else:
                stack.append(_Waiting(one.found, now))
                target = self._ws.seen(self._branch, now.head)
        return stack, ()

    def _on(self, target: TreeTarget, one: _Waiting) -> OpenTransaction:
        """The transaction on the target, judged; what it was put on before plays no part."""
        now = open_transaction.refreshed(self._ws, one.now)  # a verdict may have been noted since
        open_transaction.refuse_before(self._ws, now)
        if now.meta.base != target.tip:
            now = rebased(self._ws, _decided(one.found, now), target).of(self._ws, now)
        refuse_nothing(now)
        worktree.refuse_unstaged(self._ws, now)
        return gate_runner.agreed(self._ws, gate_runner.alone(self._ws, now))

    def _stays(self, one: _Waiting, error: ScalpelError) -> None:
        """Leave it open, on a commit that the branch has, not on what others would have landed."""
        self.stayed.append(Stayed(one.found.id, error.but(tx=error.data.get("tx", one.found.id))))
        found = one.found
        with suppress(ScalpelError):  # it has landed or was dropped, or somebody has added to it
            now = open_transaction.refreshed(self._ws, one.now)
            if now.meta.base != found.meta.base and not self._is_landed(now.meta.base):
                tree = self._ws.store.commit(found.head).tree
                now.revised(self._ws, tree, _decided(found, now).meta, found.files)

    def _is_landed(self, commit: str | None) -> bool:
        tip = self._ws.store.resolve(self._branch)
        return commit is None or tip == commit


def _decided(found: OpenTransaction, now: OpenTransaction) -> OpenTransaction:
    """A transaction as it was found, but for that somebody has decided about it since."""
    meta = msgspec.structs.replace(found.meta, decided=now.meta.decided)
    return msgspec.structs.replace(found, meta=meta)
