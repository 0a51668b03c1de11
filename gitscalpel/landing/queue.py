"""Land many open transactions in order: stacked on the tip in memory and checked together as a batch.

A batch that fails is halved until the transaction is found that fails. It stays open with the reason, and
the others go on. Nothing is scheduled: outside of a time window, a caller waits or is refused.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import msgspec

from gitscalpel.changesets.answers import short_branch_name
from gitscalpel.changesets.rules import Rules
from gitscalpel.errors import BadCall, ScalpelError, TryAgain
from gitscalpel.errors.messages import BY_NAME, Spelling, arg
from gitscalpel.landing.group_landing import hold_branch_lock
from gitscalpel.landing.landing import move
from gitscalpel.landing.rebase import rebase_onto
from gitscalpel.transaction import recovery, worktree
from gitscalpel.transaction.change import (
    Change,
    list_open_changes,
    load_change,
    require_answered_landed,
    require_files,
)
from gitscalpel.transaction.check import gate_runner
from gitscalpel.transaction.gate_result import changes_rules
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.retries import PASSES
from gitscalpel.workspace.pruning import run_auto_gc
from gitscalpel.workspace.workspace import TreeTarget, Workspace

_DAYTIME = re.compile(r"(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)")
_CLOCK_PAUSE = 15.0
"""Seconds between readings of the clock, which may be set, or stop while the machine sleeps."""


class Window(msgspec.Struct, frozen=True):
    """Daily time window in minutes from midnight, end exclusive. It may continue past midnight."""

    start: int
    end: int

    def has(self, now: datetime) -> bool:
        minute = now.hour * 60 + now.minute
        if self.start < self.end:
            return self.start <= minute < self.end
        return minute >= self.start or minute < self.end

    def opens(self, now: datetime) -> datetime:
        if self.has(now):
            return now
        start = now.replace(hour=self.start // 60, minute=self.start % 60, second=0, microsecond=0)
        return start if start > now else start + timedelta(days=1)


def read_moment(text: str) -> datetime:
    """Parse HH:MM of today, or a date and time in ISO 8601, which is local unless it has an offset.

    Raises:
        BadCall: ``invalid_args``.
    """
    found = _DAYTIME.fullmatch(text.strip())
    if found is not None:
        return local_time().replace(
            hour=int(found["hour"]), minute=int(found["minute"]), second=0, microsecond=0
        )
    try:
        return datetime.fromisoformat(text.strip().replace("Z", "+00:00")).astimezone()
    except ValueError:
        raise BadCall(
            "invalid_args",
            f"not a time: {text!r}",
            f"give {arg('not_before')} as HH:MM (of today) or as a date and time (2030-01-31T22:00)",
        ) from None


def read_window(text: str) -> Window:
    """Parse a window ``HH:MM-HH:MM``. Raises :class:`BadCall` (``invalid_args``)."""
    first, _, last = text.partition("-")
    matches = [_DAYTIME.fullmatch(each.strip()) for each in (first, last)]
    minutes = [int(each["hour"]) * 60 + int(each["minute"]) for each in matches if each is not None]
    if len(minutes) != 2 or minutes[0] == minutes[1]:
        hint = f"give {arg('window')} as HH:MM-HH:MM, such as 22:00-06:00"
        raise BadCall("invalid_args", f"not a time window: {text!r}", hint)
    return Window(*minutes)


def await_moment(moment: datetime, seconds: float) -> None:
    """Wait until a moment, but at most ``seconds``.

    Raises:
        TryAgain: ``too_early``: the moment is later than that. It is raised without waiting.
    """
    seconds_left = _seconds_until(moment)
    if seconds_left > seconds:
        raise too_early_error(moment)
    while seconds_left > 0:
        time.sleep(min(seconds_left, _CLOCK_PAUSE))
        seconds_left = _seconds_until(moment)


def too_early_error(moment: datetime) -> TryAgain:
    seconds_left = _seconds_until(moment)
    when = moment.isoformat(sep=" ", timespec="minutes")
    return TryAgain(
        "too_early",
        f"the transaction cannot land before {when}; it stays open",
        f"land it then, or pass {arg('wait', math.ceil(seconds_left))} to wait for it",
        not_before=moment.isoformat(timespec="seconds"),
        seconds=round(seconds_left, 3),
    )


def local_time() -> datetime:
    return datetime.now().astimezone()


def _seconds_until(moment: datetime) -> float:
    return (moment - local_time()).total_seconds()


_ATTEMPTS = 3
_PAUSE = 0.5


class Stayed(msgspec.Struct, frozen=True):
    """A transaction that stays open, and the reason."""

    tx: str
    error: ScalpelError


class Queue(msgspec.Struct, frozen=True):
    """Results of the transactions of a queue, in the order of their completion."""

    branch: str
    landed: tuple[Result, ...] = ()
    stayed: tuple[Stayed, ...] = ()

    def data(self, spelling: Spelling = BY_NAME) -> dict[str, Any]:
        stayed = [(one, *one.error.told(spelling)) for one in self.stayed]
        return {
            "target": short_branch_name(self.branch),
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
    """A transaction as the queue found it, and its current state on top of those before it."""

    original: Change
    now: Change


def land_queue(
    ws: Workspace,
    ids: Sequence[str] = (),
    onto: str | None = None,
    *,
    batch: int = 8,
    wait: float = 0.0,
    window: str | None = None,
) -> Queue:
    """Land open transactions in the given order, or all of a branch, oldest first.

    ``batch`` is the maximum number that is checked together, ``wait`` the number of seconds to retry, and
    ``window`` the daily time window outside of which nothing lands.

    Raises:
        BadCall: ``invalid_args``: a transaction is for another branch, or the batch size is not positive.
        DoesNotFit: ``tx_not_found``.
        TryAgain: ``busy``, or ``too_early``: the window opens after ``wait`` seconds.
    """
    if batch < 1:
        hint = f"give {arg('batch', 1)} or more"
        raise BadCall("invalid_args", "a batch must contain at least one transaction", hint)
    branch = ws.repo.branch(onto)
    hours = None if window is None else read_window(window)
    deadline = time.monotonic() + wait
    if hours is not None:
        await_moment(hours.opens(local_time()), wait)
    waiting = [_Waiting(one, one) for one in _select_changes(ws, ids, branch)]
    run = _Run(ws, branch)
    while True:
        for group in _iter_batches(waiting, batch, ws.at(branch).rules):
            with hold_branch_lock(ws, branch):
                run.land_within(group, hours)
        retry_ids = [one.tx for one in run.stayed if one.error.code in PASSES]
        if not retry_ids or time.monotonic() >= deadline:
            run_auto_gc(ws)
            return Queue(branch, tuple(run.landed), tuple(run.stayed))
        run.stayed = [one for one in run.stayed if one.tx not in retry_ids]
        waiting = [_Waiting(one, one) for one in (load_change(ws, tx) for tx in retry_ids)]
        time.sleep(_PAUSE)


def _select_changes(ws: Workspace, ids: Sequence[str], branch: str) -> list[Change]:
    if not ids:
        return [staged for staged in list_open_changes(ws) if staged.meta.branch == branch and staged.files]
    found = {staged.id: staged for staged in (load_change(ws, tx) for tx in ids)}
    for staged in found.values():
        if staged.meta.branch != branch:
            raise BadCall(
                "invalid_args",
                f"{staged.id} targets {short_branch_name(staged.meta.branch)}",
                f"queue only transactions for one branch (choose it with {arg('onto')})",
                tx=staged.id,
            )
    return list(found.values())


def _iter_batches(waiting: Sequence[_Waiting], size: int, rules: Rules) -> Iterator[list[_Waiting]]:
    """Yield batches. A change of the rules ends a batch, since the rules of the tip apply."""
    group: list[_Waiting] = []
    for item in waiting:
        group.append(item)
        if len(group) == size or changes_rules(rules, item.original.files):
            yield group
            group = []
    if group:
        yield group


class _Run:
    """Run of the queue. The branch lock is held while it lands transactions."""

    def __init__(self, ws: Workspace, branch: str) -> None:
        self._ws, self._branch = ws, branch
        self.landed: list[Result] = []
        self.stayed: list[Stayed] = []

    def land(self, batch: Sequence[_Waiting]) -> None:
        """Land what can land of a batch in one step, so that the branch is never at an unchecked commit."""
        while batch:
            stack, batch = self._stack(batch)
            if stack:
                self._land_together(stack)

    def land_within(self, batch: Sequence[_Waiting], hours: Window | None) -> None:
        now = local_time()
        if hours is None or hours.has(now):
            self.land(batch)
            return
        for item in batch:
            self._leave_open(item, too_early_error(hours.opens(now)))

    def _land_together(self, stack: Sequence[_Waiting], attempts: int = _ATTEMPTS) -> None:
        try:
            judged = gate_runner.run_together(self._ws, [item.now for item in stack])
            with recovery.hold_lock(self._ws) as held:
                self.landed += move(self._ws, judged, held)
        except ScalpelError as error:
            if error.code == "target_moved" and attempts > 1:
                self._retry(stack, attempts - 1)
            elif len(stack) == 1 or isinstance(error, TryAgain):
                for item in stack:
                    self._leave_open(item, error)
            else:
                half = len(stack) // 2
                self.land(stack[:half])
                self.land(stack[half:])

    def _retry(self, batch: Sequence[_Waiting], attempts: int) -> None:
        stack, rest = self._stack(batch)
        if stack:
            self._land_together(stack, attempts)
        self.land(rest)

    def _stack(self, batch: Sequence[_Waiting]) -> tuple[list[_Waiting], Sequence[_Waiting]]:
        """Stack transactions on each other. Return the stack, and the rest of the batch, which has to wait.

        A transaction that conflicts with the branch, or that a gate rejects there, stays open. A conflict
        with others of the stack is decided only after these have landed.
        """
        target = self._ws.at(self._branch)
        stack: list[_Waiting] = []
        for at, item in enumerate(batch):
            try:
                now = self._put_on(target, item)
            except ScalpelError as error:
                if stack:
                    return stack, batch[at:]
                self._leave_open(item, error)
            else:
                stack.append(_Waiting(item.original, now))
                target = self._ws.target_at(self._branch, now.head)
        return stack, ()

    def _put_on(self, target: TreeTarget, item: _Waiting) -> Change:
        """Return the checked transaction on a target, regardless of its previous base."""
        now = item.now.refresh(self._ws)  # a verdict may have been noted since
        require_answered_landed(self._ws, now)
        if now.meta.base != target.tip:
            now = rebase_onto(self._ws, _with_decisions(item.original, now), target, now=now)
        require_files(now)
        worktree.require_staged(self._ws, now)
        return gate_runner.require_approvals(self._ws, gate_runner.run_alone(self._ws, now))

    def _leave_open(self, item: _Waiting, error: ScalpelError) -> None:
        """Leave a transaction open, based on a commit of the branch and not on one that did not land."""
        self.stayed.append(Stayed(item.original.id, error.but(tx=error.data.get("tx", item.original.id))))
        original = item.original
        with suppress(ScalpelError):  # it has landed or was dropped, or another process has added to it
            now = item.now.refresh(self._ws)
            base = now.meta.base
            if base not in (None, original.meta.base, self._ws.store.resolve(self._branch)):
                tree = self._ws.store.commit(original.head).tree
                meta = _with_decisions(original, now).meta
                now.revise(self._ws, tree, meta, original.files, is_rebased=True)


def _with_decisions(original: Change, now: Change) -> Change:
    """Return a transaction as it was found, with approvals and rejections since then."""
    meta = original.meta.but(decided=now.meta.decided)
    return msgspec.structs.replace(original, meta=meta)
