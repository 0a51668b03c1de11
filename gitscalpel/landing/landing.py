"""Land a changeset or an open transaction on its branch, drop a transaction, or remove a damaged one.

Only landing touches the user's checkout. A change stays in memory unless it has to wait or programs check
it. If the branch has moved, it is merged with the new tip and checked again, so exactly the checked tree
lands.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from contextlib import ExitStack, suppress

import msgspec

from gitscalpel.changesets.answers import Facts
from gitscalpel.changesets.file_tree import Changes
from gitscalpel.changesets.requests import Changeset
from gitscalpel.errors import DoesNotFit, ScalpelError, TryAgain, WaitsForPerson, WorldMoved
from gitscalpel.errors.messages import call
from gitscalpel.git import oplog, refs
from gitscalpel.git.oplog import Record
from gitscalpel.git.refs import META, RefUpdate
from gitscalpel.landing import build, group_landing, staging
from gitscalpel.landing.build import TooSlow
from gitscalpel.landing.group_landing import Request
from gitscalpel.landing.rebase import rebase_onto_tip
from gitscalpel.system import repo_lock
from gitscalpel.system.repo_lock import Lock
from gitscalpel.transaction import branch_update, gate_result, recovery, result, worktree
from gitscalpel.transaction.branch_update import LockedRepository, Movement
from gitscalpel.transaction.change import (
    Change,
    adopted_files,
    list_open_changes,
    name_in_errors,
    new_change,
    new_meta,
    removal_updates,
    require_answered_landed,
    require_files,
)
from gitscalpel.transaction.check import gate_runner
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.retries import Retries
from gitscalpel.workspace.pruning import run_auto_gc
from gitscalpel.workspace.workspace import TreeTarget, Workspace

_CAN_BE_CLEARED = ("dirty_overlap", "branch_in_use", "operation_in_progress", "approval_required", "rejected")
"""Errors whose cause a person can remove, so that the change lands as it is."""
_RACED = ("tx_closed", "tx_not_found", "target_moved")
"""Errors of a caller whose transaction another caller lands or drops at the same moment."""


def submit(
    ws: Workspace, changeset: Changeset, branch: str, *, stages_only: bool = False, wait: float = 0.0
) -> Result:
    """Build and check a changeset and land it on a branch, or stage it, at most once by its request id.

    If other callers land changes of the same files meanwhile, the operations are applied again. They find
    their targets unless the targets themselves have changed. ``wait`` is the number of seconds to retry after
    a temporary failure.

    Raises:
        ScalpelError: the last error; ``stale`` if a target has changed. If a person can remove the cause, the
            change stays as an open transaction. Otherwise nothing has changed.
    """
    recovery.recover_pending(ws)
    # A landing since then may be of this same changeset.
    request = Request(changeset, ws.store.resolve(refs.OPS) if changeset.request_id else None)
    try:
        before = result.find_earlier(ws, changeset, branch)
        if isinstance(before, Result):
            return before
        if before is not None:
            if stages_only or not before.meta.whole:  # what others put into it does not land for this request
                return result.result_of(before)
            return land(ws, before.refresh(ws), wait)
        target = ws.at(branch)
        if stages_only:
            return result.result_of(staging.open_transaction(ws, build.build(ws, changeset, target), target))
        return _land_request(ws, request, target, wait)
    except ScalpelError as error:
        faster = _find_result_of_others(ws, changeset, branch, error) if changeset.request_id else None
        if faster is None:
            raise
        return faster


def _find_result_of_others(
    ws: Workspace, changeset: Changeset, branch: str, error: ScalpelError
) -> Result | None:
    """Return the result of the same request if another process was faster.

    That process moves the branch before its entry appears in the log, which may cause any error here.
    """
    earlier = result.find_earlier(ws, changeset, branch)
    if not isinstance(earlier, Result):
        with group_landing.hold_branch_lock(ws, branch) if error.code in _RACED else recovery.hold_lock(ws):
            earlier = result.find_earlier(ws, changeset, branch)
    return earlier if isinstance(earlier, Result) else None


def _land_request(ws: Workspace, request: Request, target: TreeTarget, wait: float) -> Result:
    """Land a request. A change that may take long is built before its turn."""
    if group_landing.is_quick(ws, request.changeset, target):
        with suppress(TooSlow):
            return _land(ws, group_landing.make_unbuilt(ws, request.changeset, target), request, wait)
    change = build.build(ws, request.changeset, target)
    with ExitStack() as provisional:
        if gate_result.has_pending_programs(change):
            change = provisional.enter_context(staging.hold_refs(ws, change))
        return _land(ws, change, request, wait, provisional=provisional)


def land(ws: Workspace, staged: Change, wait: float = 0.0, timeout: float = repo_lock.PATIENCE_S) -> Result:
    """Land an open transaction on its target branch, and update the user's checkout.

    If the branch has moved, the change is rebased onto the new tip. If both changed the same files, they are
    merged, and the gates check the result.

    Raises:
        DoesNotFit: ``no_change``: there is nothing to land.
        GateRefused: a gate failed.
        WorldMoved, TryAgain: see :func:`gitscalpel.transaction.branch_update.move`; the transaction stays
            open.
    """
    with name_in_errors(staged):
        return _land(ws, staged, None, wait, timeout=timeout)


def _land(
    ws: Workspace,
    change: Change,
    request: Request | None,
    wait: float = 0.0,
    *,
    timeout: float = repo_lock.PATIENCE_S,
    provisional: ExitStack | None = None,
) -> Result:
    """Land a change: wait for its turn, rebase and check it, and move the branch. Retry if that may help.

    Gates of an open transaction run before its turn, so that no other caller has to wait for them. The tool's
    lock is held only while the branch moves. Without a ``request``, from which it can be built again, the
    change is merged. ``provisional`` holds its refs, which are kept if it has to wait.
    """
    retries = Retries("land", wait)
    is_built_again, takes_others = request is not None, True
    while True:
        try:
            if request is None:
                change = change.refresh(ws)
                worktree.require_staged(ws, change)
                change = gate_runner.require_approvals(ws, _prepare(ws, change))
            wish = request if is_built_again else None
            with group_landing.hold_branch_lock(ws, change.meta.branch, timeout, wish, change) as turn:
                done = group_landing.find_answer(ws, change, turn)
                if done is not None:
                    return done
                change = change.refresh(ws)  # others may have approved it, or added to it, in the meantime
                change = group_landing.build_on_tip(ws, wish, change) if wish else _prepare(ws, change)
                change = gate_runner.require_approvals(ws, change)
                others = group_landing.collect_companions(ws, change) if wish and takes_others else []
                retries.begin_move()
                done = _move(ws, change, others, timeout)
            break
        except (WorldMoved, TryAgain, WaitsForPerson) as error:
            # Building the changes of others takes time, in which a person may commit by hand repeatedly.
            takes_others = error.code != "target_moved"
            is_built_again = is_built_again and error.code not in _CAN_BE_CLEARED
            if retries.pause(error):
                continue
            if request is None or error.code not in _CAN_BE_CLEARED:
                raise
            if provisional is not None:
                provisional.pop_all().close()
            with name_in_errors(change if change.is_open else _keep(ws, change)):
                raise
    run_auto_gc(ws)
    return done


def _keep(ws: Workspace, change: Change) -> Change:
    """Publish a change that has to wait, unless the same caller has published an equal one before."""
    meta, tree = change.meta, change.tree(ws)
    key = (meta.branch, meta.base, meta.message, meta.by, meta.agent, meta.request_ids)
    for each in list_open_changes(ws):
        other = each.meta
        other_key = (other.branch, other.base, other.message, other.by, other.agent, other.request_ids)
        if other.whole and other_key == key and each.tree(ws) == tree:
            return each
    return staging.open_transaction(ws, change, ws.at(meta.branch))


def _prepare(ws: Workspace, change: Change) -> Change:
    """Return the change on the current tip of its branch, after all gates except approvals have passed."""
    require_answered_landed(ws, change)
    change = rebase_onto_tip(ws, change)
    require_files(change)
    return gate_runner.run_all(ws, change)


def _move(ws: Workspace, change: Change, others: Sequence[group_landing.Companion], timeout: float) -> Result:
    """Move the branch to a change and, if possible, to others on top of it, and write their answers."""
    with recovery.hold_lock(ws, timeout) as held:
        if others:
            with suppress(ScalpelError):
                mine, *theirs = move(ws, [change, *(each.change for each in others)], held)
                group_landing.write_answers(ws, others, theirs)
                return mine
        return move(ws, [change], held)[0]


def move(ws: Workspace, stack: Sequence[Change], held: Lock) -> list[Result]:
    """Move the branch along a stack of changes, and remove their own refs in the same transaction.

    Raises:
        WaitsForPerson: a person rejected a change while the last gates ran.
        ScalpelError: see :func:`gitscalpel.transaction.branch_update.move`.
    """
    stack = [gate_runner.require_approvals(ws, change) for change in stack]
    movements = [
        Movement(
            change.meta.branch,
            change.meta.base,
            change.head,
            _make_record(ws, change),
            removal_updates(change),
            adopted=adopted_files(ws, change.meta.base, change.meta.adopted),
        )
        for change in stack
    ]
    landed = branch_update.move(LockedRepository(ws.repo, ws.store, held), movements)
    return [
        msgspec.structs.replace(
            result.result_of(change), state="landed", landed=each, facts=change.meta.facts
        )
        for change, each in zip(stack, landed, strict=True)
    ]


def _make_record(ws: Workspace, change: Change) -> Record:
    meta, author = change.meta, ws.author_fields()
    if not change.is_open:
        author["agent"] = meta.agent
    return Record(
        kind="land",
        tx=change.id,
        **author,
        message=meta.message,
        paths=tuple(file.path for file in change.files),
        request_ids=meta.request_ids,
        requests=meta.requests,
        adopted=meta.adopted,
        note=msgspec.to_builtins(meta.facts),
        approved=meta.approved,
    )


def drop(ws: Workspace, staged: Change) -> Result:
    """Drop the current state of a transaction; its commit is kept for a while.

    Raises:
        DoesNotFit: ``tx_closed``: another process was faster.
    """
    retries = Retries("drop")
    while True:
        try:
            with recovery.hold_lock(ws):
                staged = staged.refresh(ws)
                before = {"branch": staged.meta.branch, "before": staged.meta.base, "after": None}
                record = msgspec.structs.replace(_make_record(ws, staged), kind="drop", **before)
                keep_ref = RefUpdate(refs.KEEP + staged.id, None, staged.head)
                oplog.append_record(ws.repo, ws.store, record, (*removal_updates(staged), keep_ref))
            break
        except WorldMoved as error:
            if not retries.pause(error):
                raise
    run_auto_gc(ws)
    return msgspec.structs.replace(result.result_of(staged), state="dropped")


def drop_damaged(ws: Workspace, prefix: str) -> Result:
    """Remove the remains of a damaged transaction; its commit, if it exists, is kept for a while.

    Raises:
        DoesNotFit: ``tx_not_found``.
    """
    wanted = refs.bare_id(prefix)
    candidates = {name.rsplit("/", 1)[1] for name in refs.read_refs(ws.repo, [refs.TX, META])}
    candidates = {tx for tx in candidates if len(wanted) >= refs.MIN_ID_LENGTH and tx.startswith(wanted)}
    if len(candidates) != 1:
        raise DoesNotFit(
            "tx_not_found",
            f"{'several transactions begin' if candidates else 'no transaction begins'} with {prefix!r}",
            f"{call('fsck')} names those that are damaged",
        )
    tx = candidates.pop()
    with recovery.hold_lock(ws):
        now = refs.read_refs(ws.repo, [refs.TX + tx, META + tx])
        updates = [RefUpdate(ref, oid, None) for ref, oid in now.items()]
        head = now.get(refs.TX + tx)
        if head is not None and not ws.has_commit(head):
            head = None
        if head is not None:
            updates.append(RefUpdate(refs.KEEP + tx, None, head))
        words = "what was left of it could not be read"
        record = Record(kind="drop", tx=tx, **ws.author_fields(), message=words)
        oplog.append_record(ws.repo, ws.store, record, updates)
    return Result(
        tx=tx, state="dropped", branch="", message=words, base=None, head=head, files=Changes(), facts=Facts()
    )


def land_command(
    ws: Workspace,
    words: Sequence[str],
    target: TreeTarget,
    message: str | None = None,
    *,
    ok: Container[int] = (0,),
    land: bool = True,
    dry_run: bool = False,
    wait: float = 0.0,
) -> Result:
    """Run a command, such as a formatter, in a new transaction's worktree, and land its changes.

    ``ok`` contains the exit statuses of success, and ``wait`` is the number of seconds to retry the landing.

    Raises:
        WorldMoved, WaitsForPerson: it cannot land now; the transaction stays open.
        ScalpelError: any other error; nothing is left.
    """
    empty = new_change(ws, target.snapshot.tree, new_meta(ws, target, message), Changes())
    with ExitStack() as provisional:
        begun = provisional.enter_context(staging.hold_refs(ws, empty))
        staged, done = staging.run_command(ws, begun, words, ok, keep=False)  # no caller knows of it yet
        if dry_run:
            staging.forget(ws, staged)
            return msgspec.structs.replace(done, tx=None, head=None, worktree=None)
        if not land:
            return done
        try:
            return _land(ws, staged, None, wait)
        except (WorldMoved, WaitsForPerson):
            provisional.pop_all().close()
            with name_in_errors(staged):
                raise
