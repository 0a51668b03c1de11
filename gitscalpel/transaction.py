"""The one orchestrator: stage a changeset, check it, land it, drop it.

Nothing on the way touches the user's checkout before landing. A staged change
is a commit on its shadow branch; what its report needs and the commit does not
say lies in a blob held by a ref beside it.
"""

from __future__ import annotations

import time
from typing import Any

import msgspec

from gitscalpel import landing, lock, report
from gitscalpel.edit.apply import Outcome, apply
from gitscalpel.errors import DoesNotFit, ScalpelError, WorldMoved
from gitscalpel.gates.run import judge
from gitscalpel.gates.verdict import Verdict
from gitscalpel.git import oplog, refs
from gitscalpel.git.hooks import unrun_hooks
from gitscalpel.git.oplog import Record
from gitscalpel.git.refs import RefUpdate
from gitscalpel.git.trees import Delta
from gitscalpel.landing import Landed, Movement
from gitscalpel.operations import Operation
from gitscalpel.report import FileChange
from gitscalpel.snapshot import TREE, Change, Entry, Oid, Snapshot
from gitscalpel.summary import facts, summary, warnings
from gitscalpel.workspace import Target, Workspace, agent, is_dirty

META = "refs/scalpel/meta/"
_ATTEMPTS = 3
_NOT_THERE = ("not_found", "symbol_not_found", "query_no_match", "out_of_range", "stale", "file_not_found")


class Meta(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a transaction's report needs beside its commit."""

    branch: str
    message: str
    facts: dict[str, Any] = {}
    warnings: list[str] = []
    request_id: str | None = None


class Staged(msgspec.Struct, frozen=True):
    """A transaction on its shadow branch (or, in a dry run, only in memory).

    Attributes:
        id: of the transaction; None in a dry run.
        base, head: commits before and after; head is None in a dry run.
        meta_oid: the blob that holds ``meta``.
        files: what changed.
    """

    id: str | None
    base: Oid | None
    head: Oid | None
    meta: Meta
    meta_oid: Oid | None
    files: tuple[FileChange, ...]
    landed: Landed | None = None

    @property
    def state(self) -> str:
        """Where the transaction is in its life."""
        return "landed" if self.landed else "checked"

    def data(self) -> dict[str, Any]:
        """The ``data`` of an answer."""
        rows, unified = report.file_rows(self.files)
        return {
            "tx": self.id,
            "state": self.state,
            "target": self.meta.branch.removeprefix("refs/heads/"),
            "base": self.base,
            "head": self.head,
            "landed": self.landed.after if self.landed else None,
            "diff": unified,
            "files": rows,
            **self.meta.facts,
            "propagated": [],
            "fixed": [],
            "remaining": [],
        }


def check(
    operations: tuple[Operation, ...], target: Target, allow_broken: bool = False
) -> tuple[Outcome, tuple[Verdict, ...]]:
    """Do the operations on the target's files and ask every gate; nothing is written.

    Raises:
        ScalpelError: the first refusal, of an operation or of a gate.
    """
    outcome = apply(operations, target.snapshot)
    verdicts = judge(outcome, target.rules, allow_broken)
    if verdicts[-1].error is not None:
        raise verdicts[-1].error
    return outcome, verdicts


def stage(
    ws: Workspace,
    operations: tuple[Operation, ...],
    target: Target,
    *,
    message: str | None = None,
    request_id: str | None = None,
    allow_broken: bool = False,
    dry_run: bool = False,
) -> Staged:
    """Check a changeset and put it on a shadow branch of its own.

    Raises:
        ScalpelError: the first refusal; then nothing is staged.
    """
    try:
        outcome, verdicts = check(operations, target, allow_broken)
    except ScalpelError as error:
        _mention_uncommitted(ws, operations, target, error)
        raise
    unchecked = unrun_hooks(ws.repo) if target.rules.hooks == "run" else []
    meta = Meta(
        branch=target.branch,
        message=report.clean(message or summary(outcome)),
        facts=facts(outcome, verdicts, unchecked),
        warnings=[*warnings(outcome, verdicts), *unchecked],
        request_id=request_id,
    )
    files = tuple(_file_change(ws, target, change) for change in outcome.changes)
    if dry_run:
        return Staged(None, target.tip, None, meta, None, files)
    tree = ws.store.write_tree(target.snapshot.tree, outcome.changes)
    return _publish(ws, target.tip, tree, meta, files)


def _mention_uncommitted(
    ws: Workspace, operations: tuple[Operation, ...], target: Target, error: ScalpelError
) -> None:
    """Say in the hint that the caller may have looked at uncommitted text."""
    path = operations[error.op].path if error.op is not None else None
    if path is not None and error.code in _NOT_THERE and is_dirty(ws, target, path):
        error.hint += f"; {path} has uncommitted changes, which edits do not see: they see {target.name}"


def _publish(ws: Workspace, base: Oid | None, tree: Oid, meta: Meta, files: tuple[FileChange, ...]) -> Staged:
    head = ws.store.write_commit(tree, [base] if base else [], meta.message)
    meta_oid = ws.store.write_blob(msgspec.json.encode(report.clean(msgspec.to_builtins(meta))))
    ws.store.sync()
    tx = refs.new_id()
    created = (RefUpdate(refs.TX + tx, None, head), RefUpdate(META + tx, None, meta_oid))
    refs.update(ws.repo, created, f"scalpel: stage {tx}")
    return Staged(tx, base, head, meta, meta_oid, files)


def load(ws: Workspace, prefix: str) -> Staged:
    """An open transaction.

    Raises:
        DoesNotFit: ``tx_not_found``.
    """
    tx, head = ws.find_transaction(prefix)
    meta_oid = refs.values(ws.repo, [META + tx]).get(META + tx)
    commit = ws.store.commit(head)
    if meta_oid is None:
        raise DoesNotFit(
            "tx_not_found",
            f"transaction {tx} has no record beside its commit",
            f"look at it with `git show {refs.TX}{tx}`, take it with git cherry-pick",
        )
    meta = msgspec.json.decode(ws.store.read(meta_oid), type=Meta)
    base = commit.parents[0] if commit.parents else None
    return Staged(tx, base, head, meta, meta_oid, between(ws, base, head))


def between(ws: Workspace, base: Oid | None, head: Oid | None) -> tuple[FileChange, ...]:
    """What changed between two commits."""
    old, new = (ws.store.commit(c).tree if c else None for c in (base, head))
    return tuple(_delta_change(ws, delta) for delta in ws.store.difference(old, new))


def is_in_the_way(tip: Snapshot, path: str, expected: Entry | None) -> bool:
    """Whether something else stands at ``path``, or a file where one of its folders has to be."""
    if tip.entry(path) != expected:
        return True
    folders = [path[:at] for at, character in enumerate(path) if character == "/"]
    return any(entry is not None and entry.mode != TREE for entry in map(tip.entry, folders))


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
                error.data.setdefault("tx", staged.id)
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
    updates = (
        RefUpdate(refs.TX + staged.id, staged.head, None),
        RefUpdate(META + staged.id, staged.meta_oid, None),
        RefUpdate(refs.KEEP + staged.id, None, staged.head),
    )
    with lock.hold(ws.repo.scalpel_dir):
        oplog.append(ws.repo, ws.store, record, updates)
    return staged


def earlier(ws: Workspace, request_id: str) -> Staged | None:
    """The answer that was given to this request before, if it was made."""
    for tx in refs.transactions(ws.repo):
        staged = load(ws, tx)
        if staged.meta.request_id == request_id:
            return staged
    for entry in oplog.read(ws.repo):
        record = entry.record
        if record.kind == "land" and record.request_id == request_id:
            before, after = (Oid(c) if c else None for c in (record.before, record.after))
            meta = Meta(
                branch=record.branch, message=record.message, facts=record.note, request_id=request_id
            )
            landed = Landed(before, after, entry.oid, (), ())
            return Staged(record.tx, before, after, meta, None, between(ws, before, after), landed)
    return None


def _on_tip(ws: Workspace, staged: Staged) -> Staged:
    """The transaction with the branch as it is now as its base."""
    tip = ws.commit(staged.meta.branch)
    if (tip.oid if tip else None) == staged.base:
        return staged
    return _rebase(ws, staged, ws.target(staged.meta.branch))


def _move(ws: Workspace, staged: Staged, held: lock.Lock) -> Staged:
    """Move the branch, and take the transaction's own refs away with it."""
    assert staged.head is not None and staged.meta_oid is not None  # noqa: S101, PT018 - it is staged
    gone = (
        RefUpdate(refs.TX + str(staged.id), staged.head, None),
        RefUpdate(META + str(staged.id), staged.meta_oid, None),
    )
    movement = Movement(staged.meta.branch, staged.base, staged.head, _record(ws, staged), gone)
    landed = landing.move(ws.repo, ws.store, held, movement)
    return msgspec.structs.replace(staged, landed=landed)


def _rebase(ws: Workspace, staged: Staged, target: Target) -> Staged:
    """The change on a new tip that left its files alone."""
    overlap = [c.path for c in staged.files if is_in_the_way(target.snapshot, c.path, c.old)]
    if overlap:
        raise WorldMoved(
            "target_moved",
            f"{target.name} has moved since, and changed {', '.join(overlap[:5])} as well",
            f"look at the files again and send the edit anew; git scalpel drop {staged.id} gives this one up",
            tx=staged.id,
            paths=[report.quoted(path) for path in overlap],
        )
    changes = [
        Change(change.path, change.new.mode if change.new else "", change.new.oid if change.new else None)
        for change in staged.files
    ]
    tree = ws.store.write_tree(target.snapshot.tree, changes)
    head = ws.store.write_commit(tree, [target.tip] if target.tip else [], staged.meta.message)
    ws.store.sync()
    ref = refs.TX + str(staged.id)
    refs.update(ws.repo, [RefUpdate(ref, staged.head, head)], f"scalpel: rebase {staged.id}")
    return Staged(staged.id, target.tip, head, staged.meta, staged.meta_oid, staged.files)


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


def _file_change(ws: Workspace, target: Target, change: Change) -> FileChange:
    old = target.snapshot.entry(change.path)
    old = None if old is not None and old.mode == TREE else old
    content = change.content
    after = content if isinstance(content, bytes) else ws.store.read(content) if content else b""
    oid = ws.store.blob_id(after) if isinstance(content, bytes) else content
    new = None if oid is None else Entry(change.mode, oid)
    return FileChange(change.path, old, new, ws.store.read(old.oid) if old else b"", after)


def _delta_change(ws: Workspace, delta: Delta) -> FileChange:
    before, after = (_content(ws, entry) for entry in (delta.old, delta.new))
    return FileChange(delta.path, delta.old, delta.new, before, after)


def _content(ws: Workspace, entry: Entry | None) -> bytes:
    try:
        return ws.store.read(entry.oid) if entry else b""
    except KeyError:
        return b""  # a submodule: its commit is in another repository
