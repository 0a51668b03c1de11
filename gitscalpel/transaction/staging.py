"""Puts changes into transactions: operations, or a tree that somebody made with other tools.

Every step is judged before it is staged, against the transaction as it was;
the transaction as a whole is judged against its base.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack

import msgspec

from gitscalpel import paths, report
from gitscalpel.edit.apply import apply
from gitscalpel.edit.carried import Carried
from gitscalpel.errors import BadCall, DoesNotFit, ScalpelError
from gitscalpel.gates.run import judge
from gitscalpel.git import refs
from gitscalpel.requests import Request
from gitscalpel.rules import LEVELS, Rules, Structure
from gitscalpel.snapshot import Change, Oid, Snapshot
from gitscalpel.transaction import carrying, counting, judging, summary, waiting, worktree
from gitscalpel.transaction.result import Result, draft, of
from gitscalpel.transaction.shadow import Meta, Staged, changed, changing, file_change, publish, seen_in
from gitscalpel.unified import FileChange
from gitscalpel.workspace import Target, Workspace, agent, is_dirty

_NOT_THERE = ("not_found", "symbol_not_found", "query_no_match", "out_of_range", "stale", "file_not_found")


class Step(msgspec.Struct, frozen=True):
    """Operations that were done and judged, but are staged nowhere yet.

    Attributes:
        changes, files: what they leave.
        meta: what a transaction of nothing else would know.
    """

    changes: tuple[Change, ...]
    files: tuple[FileChange, ...]
    meta: Meta


def blank(ws: Workspace, target: Target, message: str | None = None) -> Meta:
    """What a transaction for a branch knows at its beginning."""
    asked = report.clean(message) if message and message.strip() else None
    return Meta(
        branch=target.branch,
        base=target.tip,
        asked=asked,
        agent=agent(),
        begun=time.time(),
        log=ws.store.resolve(refs.OPS),
        trailers=target.rules.record.trailers,
    )


def begin(
    ws: Workspace,
    target: Target,
    message: str | None = None,
    adopt: Sequence[str] = (),
    tx: str | None = None,
) -> Staged:
    """A transaction without any change but the uncommitted ones at the paths ``adopt``; ``tx`` is its id.

    Raises:
        BadCall: ``invalid_args``: there is something to adopt, but the branch is not checked out here.
        DoesNotFit: ``file_not_found``, or ``no_change``: nothing there is uncommitted.
        NotAllowed: ``path_denied``.
    """
    meta = msgspec.structs.replace(blank(ws, target, message), by=(ws.user(),))
    if not adopt:
        return _at_once(ws, publish(ws, target.snapshot.tree, meta, (), tx=tx), target.rules)
    if ws.repo.work_tree is None or ws.repo.head != target.branch:
        raise BadCall(
            "invalid_args",
            f"{target.name} is not checked out here, so there is nothing to adopt for it",
            "adopt where it is checked out, or leave --adopt out",
        )
    from gitscalpel.git import uncommitted

    changes = uncommitted.changes(ws.repo, target.snapshot.tree, [paths.clean(p) if p else p for p in adopt])
    if not changes:
        raise DoesNotFit("no_change", "nothing there is uncommitted", "begin without --adopt")
    tree = ws.store.write_tree(target.snapshot.tree, changes)
    parents = [target.tip] if target.tip else []
    names = [report.quoted(change.path) for change in changes]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    taken = f"Adopt uncommitted changes of {', '.join(names[:3])}{more}"
    commit = ws.store.write_commit(tree, parents, taken)
    meta = msgspec.structs.replace(meta, adopted=commit, taken=taken, structure=target.rules.gates.structure)
    files = changed(ws, target.snapshot.tree, tree)
    judging.refuse_markers(files)
    meta, _ = judging.judged(ws, meta, files, target.rules)
    return _at_once(ws, publish(ws, tree, meta, files), target.rules)


def _roots(ws: Workspace) -> tuple[str, ...]:
    """The folders whose files absolute names in a patch mean: where the caller stands, and the checkout."""
    folders = (ws.here.work_tree, ws.repo.work_tree)
    return tuple(dict.fromkeys(str(folder) for folder in folders if folder is not None))


def attempt(ws: Workspace, request: Request, target: Target, staged: Staged | None = None) -> Step:
    """Do operations on the target's files and ask every gate; nothing is written.

    Args:
        ws: where.
        request: what to do.
        target: where to do it.
        staged: the transaction that the target is, if it is one.

    Raises:
        ScalpelError: the first refusal, of an operation or of a gate.
    """
    counting.refuse(ws, request.operations, target, _roots(ws))
    try:
        carried, first = _so_far(ws, staged) if staged else ({}, None)
        outcome = apply(request.operations, target.snapshot, _roots(ws), carried, first)
        verdicts = judge(outcome, target.rules, request.allow_broken)
        judging.refuse(verdicts)
    except ScalpelError as error:
        _mention_uncommitted(ws, request, target, error)
        raise
    left = summary.unchecked(outcome)
    meta = msgspec.structs.replace(
        blank(ws, target, request.message),
        author=request.author,
        steps=summary.steps(outcome),
        facts=summary.facts(outcome, verdicts, left),
        waiting=waiting.everything(ws, target.rules, outcome),
        warnings=(*summary.warnings(outcome, verdicts), *left),
        request_ids=(request.request_id,) if request.request_id else (),
        structure=target.rules.gates.structure,
        carried=carrying.noted(outcome),
        allow_broken=request.allow_broken,
        checked=not target.rules.policy.require,  # those are asked about a transaction as a whole
    )
    changes = tuple(outcome.changes)
    return Step(changes, tuple(file_change(ws, target, change) for change in changes), meta)


def stage(
    ws: Workspace, request: Request, target: Target, instead: Staged | None = None, tx: str | None = None
) -> Staged:
    """Operations as a transaction of their own, named ``tx``, or as all that ``instead`` does from now on.

    Raises:
        ScalpelError: see :func:`attempt`; then nothing is staged.
    """
    step = attempt(ws, request, target)
    tree = ws.store.write_tree(target.snapshot.tree, step.changes)
    meta = msgspec.structs.replace(step.meta, by=(ws.user(),))
    return _at_once(ws, publish(ws, tree, meta, step.files, instead, tx=tx), target.rules)


def try_out(ws: Workspace, request: Request, target: Target, staged: Staged | None = None) -> Result:
    """What operations would do, arguments as for :func:`attempt`; nothing is written.

    Raises:
        ScalpelError: see :func:`attempt`.
    """
    step = attempt(ws, request, target, staged)
    return draft(step.meta, step.files)


def add(ws: Workspace, request: Request, staged: Staged) -> tuple[Staged, Result]:
    """More operations, on the files as an open transaction leaves them.

    Returns:
        the transaction with them; what they alone did.

    Raises:
        ScalpelError: see :func:`attempt`; then the transaction is as it was.
    """
    target = seen_in(ws, staged)
    step = attempt(ws, request, target, staged)
    tree = ws.store.write_tree(target.snapshot.tree, step.changes)
    with ExitStack() as moved:
        if worktree.folder(ws, staged.id) is not None:
            place = moved.enter_context(worktree.leased(ws, staged))
            moved.enter_context(worktree.following(ws, staged, place, tree))
        after = _grown(ws, staged, tree, step.meta, target.rules)
    facts = msgspec.structs.replace(step.meta.facts, unchecked=of(after).facts.unchecked)
    return after, msgspec.structs.replace(of(after), files=step.files, facts=facts)


def take(
    ws: Workspace, staged: Staged, tree: Oid, what: str, base: Oid | None = None
) -> tuple[Staged, Result]:
    """Make ``tree``, which somebody made of the transaction's tree, the transaction's new one.

    Nothing is refused here for what it does to the code: a failing gate keeps the transaction open.

    Args:
        ws: where.
        staged: the transaction.
        tree: what it is to leave.
        what: was done, in a few words.
        base: what the transaction starts from now on, if that has been merged into it.

    Returns:
        the transaction with it; what that alone did.

    Raises:
        DoesNotFit: ``no_change``, or ``conflicted``: a file has conflict markers that it had not.
    """
    target = seen_in(ws, staged)
    files = changed(ws, target.snapshot.tree, tree)
    judging.refuse_markers(files)
    if base is not None:
        # What was adopted stood on the old base; it is a part of the one commit now.
        meta = msgspec.structs.replace(staged.meta, base=base, adopted=None)
        staged = msgspec.structs.replace(staged, meta=meta)
    elif not files:
        raise DoesNotFit("no_change", f"{what}: nothing has changed", "nothing is left to do", tx=staged.id)
    outcome = judging.between(target.snapshot, files)
    facts = summary.facts(outcome, (), ())
    carried = staged.meta.carried
    step = Meta(branch="", base=None, steps=(report.clean(what),), facts=facts, carried=carried)
    after = _grown(ws, staged, tree, step, target.rules)
    facts = msgspec.structs.replace(facts, gates=after.meta.facts.gates, unchecked=of(after).facts.unchecked)
    return after, msgspec.structs.replace(of(after), files=files, facts=facts)


def _so_far(ws: Workspace, staged: Staged) -> tuple[dict[str, Carried], Snapshot]:
    """What an open transaction knows of the files that it has carried, and the files before it."""
    base = ws.store.commit(staged.meta.base) if staged.meta.base else None
    return carrying.read(staged.meta.carried), ws.snapshot(base)


def _at_once(ws: Workspace, staged: Staged, rules: Rules) -> Staged:
    """The transaction, in a worktree of its own if the configuration wants that."""
    if rules.worktree == "always":
        try:
            with worktree.leased(ws, staged):
                pass
        except ScalpelError as error:  # nobody has asked for it by name, so no edit fails for it
            ws.notify(f"transaction {staged.id} has no worktree: {error.message}")
    return staged


def reword(ws: Workspace, staged: Staged, message: str) -> Staged:
    """Give an open transaction another message."""
    if not message.strip():
        raise BadCall("invalid_args", "the message is blank", "say what the commit does")
    meta = msgspec.structs.replace(staged.meta, asked=report.clean(message))
    return publish(ws, ws.store.commit(staged.head).tree, meta, staged.files, staged)


def _grown(ws: Workspace, staged: Staged, tree: Oid, step: Meta, rules: Rules) -> Staged:
    """The transaction after one more step, judged as a whole."""
    base = ws.store.commit(staged.meta.base).tree if staged.meta.base else None
    files = changed(ws, base, tree)
    facts = staged.meta.facts
    meta = msgspec.structs.replace(
        staged.meta,
        asked=step.asked or staged.meta.asked,
        steps=(*staged.meta.steps, *step.steps),
        facts=msgspec.structs.replace(facts, ops=(*facts.ops, *step.facts.ops)),
        warnings=tuple(dict.fromkeys((*staged.meta.warnings, *step.warnings))),
        request_ids=(*staged.meta.request_ids, *step.request_ids),
        structure=_loosest(staged.meta, rules),
        carried=step.carried,
        allow_broken=staged.meta.allow_broken or step.allow_broken,
        by=tuple(dict.fromkeys((*staged.meta.by, ws.user()))),
    )
    meta, _ = judging.judged(ws, meta, files, rules)
    return publish(ws, tree, changing(ws, staged, meta, files), files, staged)


def _loosest(meta: Meta, rules: Rules) -> Structure:
    """The level at which all steps were judged, one more under ``rules`` included."""
    return (
        min(meta.structure, rules.gates.structure, key=LEVELS.index) if meta.steps else rules.gates.structure
    )


def _mention_uncommitted(ws: Workspace, request: Request, target: Target, error: ScalpelError) -> None:
    """Say in the hint that the caller may have looked at uncommitted text."""
    path = request.operations[error.op].path if error.op is not None else None
    if path and error.code in _NOT_THERE and is_dirty(ws, target, path):
        error.hint += f"; {path} has uncommitted changes, which edits do not see: they see {target.name}"
