"""Does a changeset as a whole: built, judged and landed in one call, in memory wherever that can be.

Only what has to wait, or what hooks or commands judge, is ever held by refs of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial

import msgspec

from gitscalpel import lock, paths
from gitscalpel.errors import WaitsForPerson, WorldMoved
from gitscalpel.git import oplog
from gitscalpel.operations import Operation
from gitscalpel.phrases import call
from gitscalpel.requests import Request
from gitscalpel.snapshot import Oid, Overlay
from gitscalpel.transaction.candidate import C, Candidate
from gitscalpel.transaction.check import judging
from gitscalpel.transaction.land.ending import Blocked, held, in_turn, ready
from gitscalpel.transaction.land.patience import trying
from gitscalpel.transaction.land.tidy import tidy
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.shadow import OpenTransaction, naming
from gitscalpel.transaction.stage import staging
from gitscalpel.workspace import Workspace


def perform(
    ws: Workspace, request: Request, onto: str | None = None, wait: float = 0.0, log: Oid | None = None
) -> Result:
    """A whole transaction: build, check and land.

    If others land on the same files meanwhile, the operations are done again on what these have
    become: what they address is found there, unless it is itself no longer what it was.

    Args:
        ws: where.
        request: what to do.
        onto: the branch; None: the one that is checked out.
        wait: for how many seconds to try again where something stands against it that may pass.
        log: the newest step of the operation log that is known not to be this very request.

    Raises:
        ScalpelError: the last refusal; ``stale``, if a target has changed meanwhile. Where somebody can
            clear away what stands against it, it stays as an open transaction.
    """
    change = staging.build(ws, request, ws.target(onto))
    with held(ws, change) if judging.by_programs(change) else nullcontext(change) as known:
        ended = _tried(ws, request, log, known, wait)
        if isinstance(ended, Blocked) and not ended.waits:
            raise ended.why
    if isinstance(ended, Blocked):
        stays = ended.change
        if not isinstance(stays, OpenTransaction):
            stays = staging.opened(ws, stays, ws.at(stays.meta.branch))
        with naming(stays):
            raise ended.why
    tidy(ws)
    return ended


def _tried(
    ws: Workspace, request: Request, log: Oid | None, change: Candidate, wait: float
) -> Result | Blocked:
    """What becomes of a change in so many seconds."""
    prepare: Callable[[Candidate], Candidate] = partial(_ready, ws, request, log)

    def attempt() -> Result:
        nonlocal change, prepare
        outcome = in_turn(ws, change, lock.PATIENCE, prepare)
        if isinstance(outcome, Blocked):
            change = outcome.change
            if outcome.waits:  # then it is merged with what others have landed meanwhile
                prepare = partial(ready, ws)
            raise outcome.why
        return outcome

    try:
        return trying(attempt, wait)
    except (WorldMoved, WaitsForPerson) as error:
        return Blocked(change, error)


def _ready(ws: Workspace, request: Request, log: Oid | None, change: C) -> C:
    """The change on the branch as it is now: the same, or what its operations do there."""
    _refuse_repeated(ws, request, log)
    try:
        return ready(ws, change, merging=False)
    except WorldMoved as moved:
        if moved.code != "target_moved":
            raise
    again = msgspec.structs.replace(request, operations=_as_seen(ws, request, change.meta.base))
    return judging.ready(ws, staging.rebuild(ws, again, ws.at(change.meta.branch), change))


def _refuse_repeated(ws: Workspace, request: Request, log: Oid | None) -> None:
    """Refuse what has landed since ``log``, for somebody who asked for the same."""
    for entry in oplog.read(ws.repo) if request.request_id else ():
        if entry.oid == log:
            return
        if entry.record.kind == "land" and request.request_id in entry.record.request_ids:
            raise WorldMoved(
                "stale", "the same request has just landed", f"{call('log')} shows it", tx=entry.record.tx
            )


def _as_seen(ws: Workspace, request: Request, base: Oid | None) -> tuple[Operation, ...]:
    """The operations, each with the blob that its caller has seen."""
    seen = Overlay(ws.snapshot(ws.commit(base) if base else None))
    entries = [seen.entry(paths.resolve(op.path, seen)) if op.path else None for op in request.operations]
    return tuple(
        msgspec.structs.replace(op, base=entry.oid) if entry and op.base is None else op
        for op, entry in zip(request.operations, entries, strict=True)
    )
