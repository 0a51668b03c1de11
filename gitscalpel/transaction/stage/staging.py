"""Puts changes into transactions: operations, or a tree that somebody made with other tools.

Every step is judged before it is staged, against the transaction as it was;
the transaction as a whole is judged against its base.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from gitscalpel import paths, report
from gitscalpel.edit.apply import apply
from gitscalpel.edit.origin import Carried
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import BadCall, DoesNotFit, ScalpelError
from gitscalpel.gates.run import judge
from gitscalpel.phrases import MARKED
from gitscalpel.requests import Changeset
from gitscalpel.rules import LEVELS, Rules, Structure
from gitscalpel.snapshot import Changes, Oid, Overlay, Snapshot
from gitscalpel.transaction.candidate import C, Candidate, Meta, candidate
from gitscalpel.transaction.check import judging, reading
from gitscalpel.transaction.result import Result, draft, of
from gitscalpel.transaction.shadow import OpenTransaction, changed, changing, publish, seen_in
from gitscalpel.transaction.stage import carrying, counting, summary
from gitscalpel.transaction.stage.begun import begun, blank
from gitscalpel.transaction.worktrees import worktree
from gitscalpel.workspace import Target, TreeTarget, Workspace, is_dirty

if TYPE_CHECKING:
    from gitscalpel.edit.lowered import Lowered, Read
    from gitscalpel.operations import Following

_NOT_THERE = ("not_found", "symbol_not_found", "query_no_match", "out_of_range", "stale", "file_not_found")


class Step(msgspec.Struct, frozen=True):
    """Operations that were done and judged, but are staged nowhere yet.

    Attributes:
        files: what they change.
        fresh: the blobs of it that are not stored yet.
        meta: what a transaction of nothing else would know.
    """

    files: Changes
    fresh: tuple[bytes, ...]
    meta: Meta


def begin(
    ws: Workspace,
    target: TreeTarget,
    message: str | None = None,
    adopt: Sequence[str] = (),
) -> OpenTransaction:
    """A transaction without any change but the uncommitted ones at the paths ``adopt``.

    Raises:
        BadCall: ``invalid_args``: there is something to adopt, but the branch is not checked out here.
        DoesNotFit: ``file_not_found``, or ``no_change``: nothing there is uncommitted.
        NotAllowed: ``path_denied``.
    """
    meta = begun(ws, target, message)
    if not adopt:
        return opened(
            ws,
            candidate(ws, target.snapshot.tree, meta, Changes()),
            target,
        )
    from gitscalpel.transaction.stage.adopting import adopt as adopting

    commit, tree, taken = adopting(ws, target, adopt)
    meta = msgspec.structs.replace(meta, adopted=commit, taken=taken, structure=target.rules.gates.structure)
    files = changed(ws, target.snapshot.tree, tree)
    reading.refuse_markers(files)
    meta, _ = judging.judged(ws, meta, files, target.rules)
    return opened(ws, candidate(ws, tree, meta, files), target)


def _roots(ws: Workspace) -> tuple[str, ...]:
    """The folders whose files absolute names in a patch mean: where the caller stands, and the checkout."""
    folders = (ws.here.work_tree, ws.repo.work_tree)
    return tuple(dict.fromkeys(str(folder) for folder in folders if folder is not None))


def _lower(ws: Workspace, op: Following, overlay: Overlay, read: Read) -> Lowered:
    """Operations on names as plain edits; who follows names is loaded for who asks."""
    from gitscalpel.meaning.lower import lower
    from gitscalpel.transaction.stage.witnessing import witness

    return lower(op, overlay, read, witness(ws))


def _tell_consequences(outcome: Outcome, *, briefly: bool) -> None:
    """Note who uses definitions that went or changed; loaded for what may have done that."""
    kinds = ("delete", "rename", "signature_change")
    if any(d.effect is None or any(i.kind in kinds for i in d.intents) for d in outcome.done):
        from gitscalpel.transaction.stage import consequences

        consequences.tell(outcome, briefly=briefly)


def attempt(
    ws: Workspace,
    changeset: Changeset,
    target: Target,
    staged: OpenTransaction | None = None,
    *,
    briefly: bool = False,
) -> Step:
    """Do operations on the target's files and ask every gate; nothing is written.

    Args:
        ws: where.
        changeset: what to do.
        target: where to do it.
        staged: the transaction that the target is, if it is one.
        briefly: others wait for it.

    Raises:
        ScalpelError: the first refusal, of an operation or of a gate.
        TakesLong: they would wait for long.
    """
    if target.branch != report.CHECKOUT:  # there everybody counts in the file that is on the screen
        counting.refuse(ws, changeset.operations, target, _roots(ws))
    try:
        carried, first = _so_far(ws, staged) if staged else ({}, None)
        outcome = apply(
            changeset.operations,
            target.snapshot,
            _roots(ws),
            carried,
            first,
            kept=ws.kept,
            lower=partial(_lower, ws),
        )
        reading.refuse_outside(ws, outcome.changes)
        verdicts = judge(outcome, _tightened(target.rules, changeset), changeset.allow_broken)
        reading.refuse(verdicts)
        _tell_consequences(outcome, briefly=briefly)
    except ScalpelError as error:
        seen = changeset.operations[error.op].path if error.op is not None else ""
        raise _mentioning_uncommitted(ws, seen, target, error) from error
    left = outcome.unchecked
    meta = msgspec.structs.replace(
        blank(ws, target, changeset.message),
        author=changeset.author,
        steps=summary.steps(outcome),
        facts=summary.facts(outcome, verdicts, left),
        pending=judging.pending(ws, target.rules, outcome),
        warnings=(*summary.warnings(outcome, verdicts), *left),
        request_ids=tuple(changeset.requests),
        requests=changeset.requests,
        structure=target.rules.gates.structure,
        carried=carrying.noted(outcome),
        allow_broken=changeset.allow_broken,
        checked=not target.rules.of_the_whole,
    )
    files = Changes(outcome.changes, outcome.overlay.read)
    return Step(files, tuple(outcome.overlay.fresh), meta)


def _tightened(rules: Rules, changeset: Changeset) -> Rules:
    """The rules that a changeset is judged by: it may ask for a stricter gate, never for a looser."""
    if changeset.structure is None:
        return rules
    gates = msgspec.structs.replace(rules.gates, structure=changeset.structure)
    return msgspec.structs.replace(rules, gates=gates)


def build(ws: Workspace, changeset: Changeset, target: TreeTarget) -> Candidate:
    """Operations as a change of their own, which nobody knows of yet.

    Raises:
        ScalpelError: see :func:`attempt`.
    """
    step = attempt(ws, changeset, target)
    return candidate(ws, _written(ws, target, step), _whole(ws, step), step.files)


def rebuild(
    ws: Workspace, changeset: Changeset, target: TreeTarget, change: C, *, briefly: bool = False
) -> C:
    """Operations as all that ``change`` does from now on; it stays whose it is.

    Raises:
        ScalpelError, TakesLong: see :func:`attempt`.
    """
    step, known = attempt(ws, changeset, target, briefly=briefly), change.meta
    kept = {field: getattr(known, field) for field in ("log", "begun", "decided", "agent", "by")}
    meta = msgspec.structs.replace(_whole(ws, step), **kept)
    tree = _written(ws, target, step)
    return change.revised(ws, tree, changing(ws, change, meta, step.files), step.files)


def _whole(ws: Workspace, step: Step) -> Meta:
    """What a transaction knows that is this step alone."""
    return msgspec.structs.replace(step.meta, by=(ws.user(),), whole=True)


def _written(ws: Workspace, target: TreeTarget, step: Step) -> Oid:
    """The tree that a step leaves."""
    edits = [(change.path, change.new) for change in step.files]
    return ws.store.write_tree(target.snapshot.tree, edits, step.fresh)


def as_seen(snapshot: Snapshot, changeset: Changeset) -> Changeset:
    """The changeset, each operation with the blob that its caller has seen in ``snapshot``.

    Done to files that have changed since, it finds what it addresses, unless that is no longer what it was.
    """
    seen = Overlay(snapshot)
    entries = [seen.entry(paths.resolve(op.path, seen)) if op.path else None for op in changeset.operations]
    operations = tuple(
        msgspec.structs.replace(op, base=entry.oid) if entry and op.base is None else op
        for op, entry in zip(changeset.operations, entries, strict=True)
    )
    return msgspec.structs.replace(changeset, operations=operations)


def try_out(
    ws: Workspace, changeset: Changeset, target: Target, staged: OpenTransaction | None = None
) -> Result:
    """What operations would do, arguments as for :func:`attempt`; nothing is written.

    Raises:
        ScalpelError: see :func:`attempt`.
    """
    step = attempt(ws, changeset, target, staged)
    return draft(step.meta, step.files)


def add(ws: Workspace, changeset: Changeset, staged: OpenTransaction) -> tuple[OpenTransaction, Result]:
    """More operations, on the files as an open transaction leaves them.

    Returns:
        the transaction with them; what they alone did.

    Raises:
        ScalpelError: see :func:`attempt`; then the transaction is as it was.
    """
    target = seen_in(ws, staged)
    step = attempt(ws, changeset, target, staged)
    tree = _written(ws, target, step)
    with following(ws, staged, tree):
        after = _grown(ws, staged, tree, step.meta, target.rules)
    facts = msgspec.structs.replace(step.meta.facts, unchecked=of(after).facts.unchecked)
    return after, msgspec.structs.replace(of(after), files=step.files.at_hand(), facts=facts)


@contextmanager
def following(ws: Workspace, staged: OpenTransaction, tree: Oid) -> Iterator[None]:
    """The transaction becomes ``tree`` in the block; its worktree, if it has one, follows."""
    with ExitStack() as moved:
        if worktree.folder(ws, staged.id) is not None:
            place = moved.enter_context(worktree.leased(ws, staged))
            moved.enter_context(worktree.following(ws, staged, place, tree))
        yield


def take(
    ws: Workspace, staged: OpenTransaction, tree: Oid, what: str, base: Oid | None = None
) -> tuple[OpenTransaction, Result]:
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
    reading.refuse_markers(files)
    if base is not None:
        # What was adopted stood on the old base; it is a part of the one commit now.
        meta = msgspec.structs.replace(staged.meta, base=base, adopted=None)
        staged = msgspec.structs.replace(staged, meta=meta)
    elif not files:
        raise DoesNotFit("no_change", f"{what}: nothing has changed", "nothing is left to do", tx=staged.id)
    outcome = reading.between(target.snapshot, files)
    facts = summary.facts(outcome, (), ())
    carried = staged.meta.carried
    step = Meta(branch="", base=None, steps=(report.clean(what),), facts=facts, carried=carried)
    after = _grown(ws, staged, tree, step, target.rules)
    facts = msgspec.structs.replace(facts, gates=after.meta.facts.gates, unchecked=of(after).facts.unchecked)
    return after, msgspec.structs.replace(of(after), files=files.at_hand(), facts=facts)


def _so_far(ws: Workspace, staged: OpenTransaction) -> tuple[dict[str, Carried], Snapshot]:
    """What an open transaction knows of the files that it has carried, and the files before it."""
    return carrying.read(staged.meta.carried), ws.snapshot(staged.meta.base)


def opened(ws: Workspace, change: Candidate, target: Target) -> OpenTransaction:
    """A change as an open transaction, in a worktree of its own if the target's rules want that."""
    staged = publish(ws, change)
    if target.rules.worktree == "always":
        try:
            with worktree.leased(ws, staged):
                pass
        except ScalpelError as error:  # nobody has asked for it by name, so no edit fails for it
            ws.notify(f"transaction {staged.id} has no worktree: {error.told(MARKED)[0]}")
    return staged


def reword(ws: Workspace, staged: OpenTransaction, message: str) -> OpenTransaction:
    """Give an open transaction another message."""
    if not message.strip():
        raise BadCall("invalid_args", "the message is blank", "say what the commit does")
    meta = msgspec.structs.replace(staged.meta, asked=report.clean(message))
    return staged.noted(ws, meta)


def _grown(ws: Workspace, staged: OpenTransaction, tree: Oid, step: Meta, rules: Rules) -> OpenTransaction:
    """The transaction after one more step, judged as a whole."""
    base = ws.store.tree_of(staged.meta.base)
    files = changed(ws, base, tree)
    facts = staged.meta.facts
    meta = msgspec.structs.replace(
        staged.meta,
        asked=step.asked or staged.meta.asked,
        steps=(*staged.meta.steps, *step.steps),
        facts=summary.grown(facts, step.facts),
        warnings=tuple(dict.fromkeys((*staged.meta.warnings, *step.warnings))),
        request_ids=(*staged.meta.request_ids, *step.request_ids),
        requests={**staged.meta.requests, **step.requests},
        whole=False,
        structure=_loosest(staged.meta, rules),
        carried=step.carried,
        allow_broken=staged.meta.allow_broken or step.allow_broken,
        by=tuple(dict.fromkeys((*staged.meta.by, ws.user()))),
    )
    meta, _ = judging.judged(ws, meta, files, rules)
    return staged.revised(ws, tree, changing(ws, staged, meta, files), files)


def _loosest(meta: Meta, rules: Rules) -> Structure:
    """The level at which all steps were judged, one more under ``rules`` included."""
    return (
        min(meta.structure, rules.gates.structure, key=LEVELS.index) if meta.steps else rules.gates.structure
    )


def _mentioning_uncommitted(ws: Workspace, path: str, target: Target, error: ScalpelError) -> ScalpelError:
    """The error; where the caller may have looked at uncommitted text, its hint says so."""
    if path and error.code in _NOT_THERE and is_dirty(ws, target, path):
        note = f"; {path} has uncommitted changes, which edits do not see: they see {target.name}"
        return error.but(more=note)
    return error
