"""A staged transaction: its shadow branch, and what its report needs beside the commit.

The change is one commit on ``refs/scalpel/tx/<id>``. What the commit does not
say (the branch it is for, the operations, the verdicts) lies in a blob held by
a ref of the same id; both live and go together.
"""

from __future__ import annotations

from typing import Any

import msgspec

from gitscalpel import report
from gitscalpel.errors import DoesNotFit
from gitscalpel.git import oplog, refs
from gitscalpel.git.refs import RefUpdate
from gitscalpel.git.trees import Delta
from gitscalpel.landing import Landed
from gitscalpel.report import FileChange
from gitscalpel.snapshot import TREE, Change, Entry, Oid
from gitscalpel.workspace import Target, Workspace

META = "refs/scalpel/meta/"


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


def publish(ws: Workspace, draft: Staged, tree: Oid, instead: Staged | None = None) -> Staged:
    """Put a change on a shadow branch: a new one, or the one that ``instead`` is on.

    Args:
        ws: where.
        draft: base, meta and files of the change.
        tree: what its commit is to hold.
        instead: the state of the transaction that the change takes the place of.
    """
    head = ws.store.write_commit(tree, [draft.base] if draft.base else [], draft.meta.message)
    meta = ws.store.write_blob(msgspec.json.encode(report.clean(msgspec.to_builtins(draft.meta))))
    ws.store.sync()
    tx = instead.id if instead and instead.id else refs.new_id()
    old_head, old_meta = (instead.head, instead.meta_oid) if instead else (None, None)
    updates = (RefUpdate(refs.TX + tx, old_head, head), RefUpdate(META + tx, old_meta, meta))
    changed = [update for update in updates if update.old != update.new]
    refs.update(ws.repo, changed, f"scalpel: stage {tx}")
    return msgspec.structs.replace(draft, id=tx, head=head, meta_oid=meta)


def load(ws: Workspace, prefix: str) -> Staged:
    """An open transaction.

    Raises:
        DoesNotFit: ``tx_not_found``, or ``tx_closed`` where it has landed or was dropped.
    """
    tx, head = _find(ws, prefix)
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


def between(ws: Workspace, base: Oid | None, head: Oid | None) -> tuple[FileChange, ...]:
    """What changed between two commits."""
    old, new = (ws.store.commit(c).tree if c else None for c in (base, head))
    return tuple(_delta_change(ws, delta) for delta in ws.store.difference(old, new))


def gone(staged: Staged) -> tuple[RefUpdate, ...]:
    """The ref updates that take a transaction's refs away."""
    assert staged.id is not None and staged.head is not None  # noqa: S101, PT018 - it is staged
    return (
        RefUpdate(refs.TX + staged.id, staged.head, None),
        RefUpdate(META + staged.id, staged.meta_oid, None),
    )


def _find(ws: Workspace, prefix: str) -> tuple[str, Oid]:
    try:
        return refs.find(ws.repo, prefix)
    except DoesNotFit as error:
        wanted = refs.bare_id(prefix)
        closed = (e.record for e in oplog.read(ws.repo) if e.record.tx.startswith(wanted))
        record = next(closed, None)
        if record is None or len(wanted) < refs.SHORTEST or error.data.get("candidates"):
            raise
        what = {"land": "has landed", "undo": "has landed and was undone", "drop": "was dropped"}
        raise DoesNotFit(
            "tx_closed",
            f"transaction {record.tx} {what.get(record.kind, 'is closed')}",
            "git scalpel log shows what became of it; git scalpel undo takes a landing back",
            tx=record.tx,
        ) from None


def file_change(ws: Workspace, target: Target, change: Change) -> FileChange:
    """One change of the target's files, with its content before and after."""
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
