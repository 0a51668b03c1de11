"""The one orchestrator: stage a changeset, check it, land it, drop it.

Nothing on the way touches the user's checkout before landing, and landing is
the only thing that does.
"""

from __future__ import annotations

import time

import msgspec

from gitscalpel import config, landing, lock, paths, report
from gitscalpel.edit.apply import apply
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import ScalpelError, WorldMoved
from gitscalpel.gates.run import judge
from gitscalpel.gates.verdict import Verdict
from gitscalpel.git import oplog, refs
from gitscalpel.git.hooks import unrun_hooks
from gitscalpel.git.oplog import Record
from gitscalpel.git.refs import RefUpdate
from gitscalpel.landing import Movement
from gitscalpel.operations import Operation
from gitscalpel.requests import Request
from gitscalpel.shadow import Meta, Staged, file_change, gone, load, publish
from gitscalpel.snapshot import Change, Oid, Overlay, is_in_the_way
from gitscalpel.summary import facts, summary, warnings
from gitscalpel.workspace import Target, Workspace, agent, is_dirty

_ATTEMPTS = 3
_NOT_THERE = ("not_found", "symbol_not_found", "query_no_match", "out_of_range", "stale", "file_not_found")


def check(request: Request, target: Target) -> tuple[Outcome, tuple[Verdict, ...]]:
    """Do the operations on the target's files and ask every gate; nothing is written.

    Raises:
        ScalpelError: the first refusal, of an operation or of a gate.
    """
    outcome = apply(request.operations, target.snapshot)
    verdicts = judge(outcome, target.rules, request.allow_broken)
    if verdicts[-1].error is not None:
        raise verdicts[-1].error
    return outcome, verdicts


def stage(
    ws: Workspace, request: Request, target: Target, *, dry_run: bool = False, instead: Staged | None = None
) -> Staged:
    """Check a changeset and put it on a shadow branch of its own, or on that of ``instead``.

    Raises:
        ScalpelError: the first refusal; then nothing is staged.
    """
    try:
        outcome, verdicts = check(request, target)
    except ScalpelError as error:
        _mention_uncommitted(ws, request, target, error)
        raise
    unchecked = unrun_hooks(ws.repo) if target.rules.hooks == "run" else []
    meta = Meta(
        branch=target.branch,
        message=report.clean(request.message or summary(outcome)),
        facts=facts(outcome, verdicts, unchecked),
        warnings=[*warnings(outcome, verdicts), *unchecked],
        request_id=request.request_id,
    )
    files = tuple(file_change(ws, target, change) for change in outcome.changes)
    draft = Staged(None, target.tip, None, meta, None, files)
    if dry_run:
        return draft
    return publish(ws, draft, ws.store.write_tree(target.snapshot.tree, outcome.changes), instead)


def perform(ws: Workspace, request: Request, onto: str | None = None, timeout: float = 10.0) -> Staged:
    """A whole transaction: stage, check and land.

    If others land on the same files meanwhile, the operations are done again on what these have
    become: what they address is found there, unless it is itself no longer what it was.

    Raises:
        ScalpelError: the first refusal; ``stale``, if a target has changed meanwhile.
    """
    staged = stage(ws, request, ws.target(onto))
    try:
        return land(ws, staged, timeout)
    except WorldMoved as moved:
        if moved.code != "target_moved":
            raise
    staged = load(ws, str(staged.id))  # landing may have put it on a newer tip before it gave up
    with lock.hold(ws.repo.scalpel_dir, timeout) as held:  # so that nobody is faster once more
        try:
            again = msgspec.structs.replace(request, operations=_as_seen(ws, request, staged.base))
            staged = stage(ws, again, ws.target(staged.meta.branch), instead=staged)
        except ScalpelError:
            refs.update(ws.repo, gone(staged), f"scalpel: give up {staged.id}")
            raise
        return _move(ws, staged, held)


def _as_seen(ws: Workspace, request: Request, base: Oid | None) -> tuple[Operation, ...]:
    """The operations, each with the blob that its caller has seen."""
    seen = Overlay(ws.snapshot(ws.commit(base) if base else None))
    entries = [seen.entry(paths.resolve(op.path, seen)) for op in request.operations]
    return tuple(
        msgspec.structs.replace(op, base=entry.oid) if entry and op.base is None else op
        for op, entry in zip(request.operations, entries, strict=True)
    )


def _mention_uncommitted(ws: Workspace, request: Request, target: Target, error: ScalpelError) -> None:
    """Say in the hint that the caller may have looked at uncommitted text."""
    path = request.operations[error.op].path if error.op is not None else None
    if path is not None and error.code in _NOT_THERE and is_dirty(ws, target, path):
        error.hint += f"; {path} has uncommitted changes, which edits do not see: they see {target.name}"


def land(ws: Workspace, staged: Staged, timeout: float = 10.0) -> Staged:
    """Bring a transaction to its target branch, and the user's checkout along.

    If the branch has moved since, the change is put on the new tip as long as the tip left the
    files that it touches alone.

    Raises:
        WorldMoved, TryAgain, GateRefused: see :func:`gitscalpel.landing.move`; the transaction stays open.
    """
    assert staged.id is not None  # noqa: S101 - a dry run is never landed
    for left in reversed(range(_ATTEMPTS)):
        staged = _on_tip(ws, staged)
        try:
            with lock.hold(ws.repo.scalpel_dir, timeout) as held:
                # If others were faster each time: while the lock is held, no landing of theirs comes first.
                return _move(ws, staged if left else _on_tip(ws, staged), held)
        except WorldMoved as error:
            if error.code != "target_moved" or not left:
                raise
    raise AssertionError("the last attempt either returns or raises")


def drop(ws: Workspace, prefix: str) -> Staged:
    """Give a transaction up; its commit is kept for a while.

    Raises:
        DoesNotFit: ``tx_not_found``.
    """
    staged = load(ws, prefix)
    assert staged.id is not None and staged.head is not None  # noqa: S101, PT018 - load has found both
    record = msgspec.structs.replace(
        _record(ws, staged), kind="drop", branch=staged.meta.branch, before=staged.base, after=None
    )
    updates = (*gone(staged), RefUpdate(refs.KEEP + staged.id, None, staged.head))
    with lock.hold(ws.repo.scalpel_dir):
        oplog.append(ws.repo, ws.store, record, updates)
    return staged


def _on_tip(ws: Workspace, staged: Staged) -> Staged:
    """The transaction with the branch as it is now as its base."""
    tip = ws.commit(staged.meta.branch)
    if (tip.oid if tip else None) == staged.base:
        return staged
    return _rebase(ws, staged, ws.target(staged.meta.branch))


def _move(ws: Workspace, staged: Staged, held: lock.Lock) -> Staged:
    """Move the branch, and take the transaction's own refs away with it; a refusal names what stays open."""
    movement = Movement(staged.meta.branch, staged.base, staged.head, _record(ws, staged), gone(staged))
    try:
        landed = landing.move(ws.repo, ws.store, held, movement)
    except WorldMoved as error:
        error.data["tx"] = staged.id
        raise
    return msgspec.structs.replace(staged, landed=landed)


def _rebase(ws: Workspace, staged: Staged, target: Target) -> Staged:
    """The change on a new tip that left its files, and the rules that judged them, alone."""
    overlap = [c.path for c in staged.files if is_in_the_way(target.snapshot, c.path, c.old)]
    before = ws.snapshot(ws.commit(staged.base) if staged.base else None)
    if before.entry(config.PATH) != target.snapshot.entry(config.PATH):
        overlap.append(config.PATH)
    if overlap:
        raise WorldMoved(
            "target_moved",
            f"{target.name} has moved since, and changed {', '.join(overlap[:5])} as well",
            f"look at the files again and send the edit anew; git scalpel drop {staged.id} gives this one up",
            tx=staged.id,
            paths=[report.quoted(path) for path in overlap],
        )
    changes = [Change.to(change.path, change.new) for change in staged.files]
    tree = ws.store.write_tree(target.snapshot.tree, changes)
    return publish(ws, msgspec.structs.replace(staged, base=target.tip), tree, staged)


def _record(ws: Workspace, staged: Staged) -> Record:
    return Record(
        kind="land",
        tx=str(staged.id),
        user=ws.user(),
        time=int(time.time()),
        message=staged.meta.message,
        agent=agent(),
        paths=tuple(change.path for change in staged.files),
        request_id=staged.meta.request_id,
        note=report.clean(staged.meta.facts),
    )
