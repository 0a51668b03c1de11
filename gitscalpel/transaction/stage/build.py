"""Apply operations to the files of a target in memory and run the static gates."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from gitscalpel.changesets import answers, paths
from gitscalpel.changesets.file_tree import Changes, FileOrigin, Oid, Overlay, Snapshot
from gitscalpel.changesets.operations import NO_FILE, MoveFile, Operation, Write
from gitscalpel.changesets.requests import Changeset
from gitscalpel.changesets.rules import LEVELS, Rules
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import ScalpelError
from gitscalpel.errors.messages import place
from gitscalpel.transaction import static_gates, summary
from gitscalpel.transaction.candidate import (
    C,
    Candidate,
    Meta,
    blank_meta,
    candidate,
    carried_record,
    in_words,
    read_carried,
)
from gitscalpel.transaction.check import gate_runner
from gitscalpel.transaction.open_transaction import OpenTransaction, changing
from gitscalpel.transaction.result import Result, draft
from gitscalpel.transaction.stage import line_numbers
from gitscalpel.transaction.static_gates import judge
from gitscalpel.workspace import Target, TreeTarget, Workspace, is_dirty

if TYPE_CHECKING:
    from gitscalpel.changesets.operations import Following
    from gitscalpel.edit.outcome import Lowered, OpenSource

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


def _roots(ws: Workspace) -> tuple[str, ...]:
    """The folders whose files absolute names in a patch mean: where the caller stands, and the checkout."""
    folders = (ws.here.work_tree, ws.repo.work_tree)
    return tuple(dict.fromkeys(str(folder) for folder in folders if folder is not None))


def _lower(ws: Workspace, op: Following, overlay: Overlay, read: OpenSource) -> Lowered:
    """Operations on names as plain edits; who follows names is loaded for who asks."""
    from gitscalpel.refactor.name_operations import lower
    from gitscalpel.transaction.language_server import witness

    return lower(op, overlay, read, witness(ws))


def _tell_consequences(outcome: Outcome, *, briefly: bool) -> None:
    """Note who uses definitions that went or changed; loaded for what may have done that."""
    kinds = ("delete", "rename", "signature_change")
    if any(d.effect is None or any(i.kind in kinds for i in d.intents) for d in outcome.done):
        from gitscalpel.transaction.stage import edit_impact

        edit_impact.tell(outcome, briefly=briefly)
    if any(each.old is None and each.path.endswith(".py") for each in outcome.changes):
        from gitscalpel.refactor.python.module_names import list_hidden

        moved = {d.op.to: d.op.path for d in outcome.done if isinstance(d.op, MoveFile)}
        outcome.unchecked += list_hidden(outcome.overlay, outcome.read, moved)


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
    if target.branch != answers.CHECKOUT:  # there everybody counts in the file that is on the screen
        changeset.require_single_commit(is_more=bool(staged and staged.meta.steps))
        line_numbers.refuse(ws, changeset.operations, target, _roots(ws))
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
        static_gates.refuse_outside(ws, outcome.changes)
        verdicts = judge(outcome, _tightened(target.rules, changeset), changeset.allow_broken)
        static_gates.refuse(verdicts)
        _tell_consequences(outcome, briefly=briefly)
    except ScalpelError as error:
        seen = changeset.operations[error.op].path if error.op is not None else ""
        raise _mentioning_uncommitted(ws, seen, target, error) from error
    left = outcome.unchecked
    meta = msgspec.structs.replace(
        blank_meta(ws, target, changeset.message),
        author=changeset.author,
        steps=tuple(map(answers.text_of, summary.steps(outcome))),
        facts=summary.facts(outcome, verdicts, left),
        pending=gate_runner.pending(ws, target.rules, outcome, require_approval=changeset.require_approval),
        warnings=(*summary.warnings(outcome, verdicts), *left),
        request_ids=tuple(changeset.requests),
        requests=changeset.requests,
        structure=target.rules.gates.structure,
        carried=carried_record(outcome),
        allow_broken=changeset.allow_broken,
        require_approval=changeset.require_approval,
        checked=not target.rules.of_the_whole,
    )
    files = Changes(outcome.changes, outcome.overlay.read)
    return Step(files, tuple(outcome.overlay.fresh), in_words(ws, meta))


def _tightened(rules: Rules, changeset: Changeset) -> Rules:
    """The rules that a changeset is judged by: it may ask for a stricter gate, never for a looser."""
    if changeset.structure is None:
        return rules
    level = max(rules.gates.structure, changeset.structure, key=LEVELS.index)
    gates = msgspec.structs.replace(rules.gates, structure=level)
    return msgspec.structs.replace(rules, gates=gates)


def build(ws: Workspace, changeset: Changeset, target: TreeTarget) -> Candidate:
    """Operations as a change of their own, which nobody knows of yet.

    Raises:
        ScalpelError: see :func:`attempt`.
    """
    step = attempt(ws, changeset, target)
    return candidate(ws, written(ws, target, step), _whole(ws, step), step.files)


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
    tree = written(ws, target, step)
    return change.revised(ws, tree, changing(ws, change, meta, step.files), step.files)


def _whole(ws: Workspace, step: Step) -> Meta:
    """What a transaction knows that is this step alone."""
    return msgspec.structs.replace(step.meta, by=(ws.user(),), whole=True)


def written(ws: Workspace, target: TreeTarget, step: Step) -> Oid:
    """The tree that a step leaves."""
    edits = [(change.path, change.new) for change in step.files]
    return ws.store.write_tree(target.snapshot.tree, edits, step.fresh)


def as_seen(snapshot: Snapshot, changeset: Changeset) -> Changeset:
    """The changeset, each operation with the blob that its caller has seen in ``snapshot``.

    Done to files that have changed since, it finds what it addresses, unless that is no longer what it was.
    """
    seen = Overlay(snapshot)
    operations = tuple(_as_seen(seen, op) for op in changeset.operations)
    return msgspec.structs.replace(changeset, operations=operations)


def _as_seen(seen: Overlay, op: Operation) -> Operation:
    if op.base is not None or not op.path:
        return op
    entry = seen.entry(paths.resolve(op.path, seen))
    if entry is not None:
        return msgspec.structs.replace(op, base=entry.oid)
    replaces_whatever = isinstance(op, Write) and op.overwrite
    return msgspec.structs.replace(op, base=NO_FILE) if replaces_whatever else op


def try_out(
    ws: Workspace, changeset: Changeset, target: Target, staged: OpenTransaction | None = None
) -> Result:
    """What operations would do, arguments as for :func:`attempt`; nothing is written.

    Raises:
        ScalpelError: see :func:`attempt`.
    """
    step = attempt(ws, changeset, target, staged)
    return draft(step.meta, step.files)


def _so_far(ws: Workspace, staged: OpenTransaction) -> tuple[dict[str, FileOrigin], Snapshot]:
    """What an open transaction knows of the files that it has carried, and the files before it."""
    return read_carried(staged.meta.carried), ws.snapshot(staged.meta.base)


def _mentioning_uncommitted(ws: Workspace, path: str, target: Target, error: ScalpelError) -> ScalpelError:
    """The error; where the caller may have looked at uncommitted text, its hint says so."""
    if path and error.code in _NOT_THERE and is_dirty(ws, target, path):
        note = f"; {place(path)} has uncommitted changes, which edits do not see: they see {target.name}"
        return error.but(more=note)
    return error
