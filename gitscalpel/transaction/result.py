"""What a call did, or what a transaction is: the answer that every face gives."""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import Any

import msgspec

from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.git import oplog, refs
from gitscalpel.landing import Landed
from gitscalpel.report import Facts
from gitscalpel.snapshot import Oid
from gitscalpel.transaction.shadow import Meta, Staged, between, every, load
from gitscalpel.unified import FileChange, Patch, patch
from gitscalpel.workspace import Workspace

REMEMBERED = 1_000
"""Steps of the log in which an earlier request is looked for."""
_STATES: dict[str, str] = {"land": "landed", "undo": "undone", "redo": "landed", "drop": "dropped"}


class Result(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The answer of a call that edits or lands, or that shows a transaction.

    Attributes:
        tx: the transaction's id; None in a dry run.
        state: ``open``, ``checked``, ``landed``, ``undone`` or ``dropped``.
        branch: what it is for, ``refs/heads/…``.
        message: of its commit.
        base: the commit of the branch that it starts from; None: unborn.
        head: the commit of its shadow branch; None in a dry run.
        landed: how it moved the branch, once it has.
        files: what changed: by the call in an edit, by the transaction otherwise.
        facts: operations, intents and verdicts, likewise.
        warnings: what looked odd, in words.
        worktree: the folder that the transaction has leased.
    """

    tx: str | None
    state: str
    branch: str
    message: str
    base: Oid | None
    head: Oid | None
    files: tuple[FileChange, ...]
    facts: Facts
    warnings: tuple[str, ...] = ()
    landed: Landed | None = None
    worktree: str | None = None

    @property
    def target(self) -> str:
        """The branch as people write it."""
        return self.branch.removeprefix("refs/heads/")

    @cached_property
    def patch(self) -> Patch:
        """The files as rows and as one unified diff."""
        return patch(self.files)

    def data(self) -> dict[str, Any]:
        """The ``data`` of an answer in JSON."""
        data: dict[str, Any] = {
            "tx": self.tx,
            "state": self.state,
            "target": self.target,
            "message": self.message,
            "base": self.base,
            "head": self.head,
            "landed": self.landed.after if self.landed else None,
            "diff": self.patch.diff,
            "files": msgspec.to_builtins(self.patch.rows),
            **msgspec.to_builtins(self.facts),
        }
        return {**data, "worktree": self.worktree} if self.worktree else data


def of(staged: Staged) -> Result:
    """An open transaction as a whole; what is still to be judged is unchecked."""
    return Result(
        tx=staged.id,
        state=staged.state,
        branch=staged.meta.branch,
        message=staged.meta.message,
        base=staged.meta.base,
        head=staged.head,
        files=staged.files,
        facts=_known(staged.meta),
        warnings=staged.meta.warnings,
    )


def draft(meta: Meta, files: tuple[FileChange, ...]) -> Result:
    """A dry run: what a transaction would be."""
    return Result(
        tx=None,
        state="checked",
        branch=meta.branch,
        message=meta.message,
        base=meta.base,
        head=None,
        files=files,
        facts=_known(meta),
        warnings=meta.warnings,
    )


def _known(meta: Meta) -> Facts:
    return msgspec.structs.replace(meta.facts, unchecked=(*meta.facts.unchecked, *meta.waiting))


def earlier(ws: Workspace, request_id: str, branch: str) -> Result | Staged | None:
    """What was done for this request before: what became of one that landed or was dropped, or an open one.

    A request is repeated soon or not at all: the log is searched for the newest steps only, so that
    a request costs the same however long the log is.

    Raises:
        BadCall: ``invalid_args``: it was for another branch than ``branch``.
    """
    last: dict[str, oplog.Record] = {}
    for entry in oplog.read(ws.repo, REMEMBERED):
        record = entry.record
        if record.kind in _STATES:
            last.setdefault(record.tx, record)
        if record.kind in ("land", "drop") and request_id in record.request_ids:
            _refuse_other(request_id, record.tx, record.branch, branch)
            return _as_it_ended(ws, closed(ws, entry), last[record.tx])
    found = next((staged for staged in every(ws) if request_id in staged.meta.request_ids), None)
    if found is not None:
        _refuse_other(request_id, found.id, found.meta.branch, branch)
    return found


def _refuse_other(request_id: str, tx: str, branch: str, asked: str) -> None:
    if branch != asked:
        name, other = (ref.removeprefix("refs/heads/") for ref in (branch, asked))
        raise BadCall(
            "invalid_args",
            f"request_id {request_id} was used for {name} ({tx}), not for {other}",
            f"give the request for {other} another request_id, or send it with --onto {name} for its answer",
            tx=tx,
        )


def _as_it_ended(ws: Workspace, result: Result, last: oplog.Record) -> Result:
    """The answer of what landed or was dropped, with what became of it since."""
    state = _STATES[last.kind]
    if state == "landed":
        inside = ws.repo.git.run("merge-base", "--is-ancestor", str(last.after), result.branch)
        if not inside.status:
            return result
        note = f"this request landed before, but something else has taken it from {result.target} since"
    else:
        note = (
            f"this request was {state}" if result.landed is None else f"this request landed, and was {state}"
        )
    note += "; with another request_id it is done again"
    return msgspec.structs.replace(result, state=state, warnings=(*result.warnings, note))


def find(ws: Workspace, prefix: str) -> Result:
    """A transaction, open or closed.

    Raises:
        DoesNotFit: ``tx_not_found``.
    """
    try:
        return of(load(ws, prefix))
    except DoesNotFit as error:
        if error.code != "tx_closed":
            raise
        tx = error.data["tx"]
    entries = (
        entry for entry in oplog.read(ws.repo) if entry.record.tx == tx and entry.record.kind in _STATES
    )
    last = next(entries)
    closing = next(entry for entry in chain([last], entries) if entry.record.kind in ("land", "drop"))
    return msgspec.structs.replace(closed(ws, closing), state=_STATES[last.record.kind])


def closed(ws: Workspace, entry: oplog.Entry) -> Result:
    """A transaction that landed or was dropped, from its entry in the operation log."""
    record = entry.record
    landed = record.kind == "land"
    before, after = (Oid(c) if c else None for c in (record.before, record.after))
    head = after if landed else ws.store.resolve(refs.KEEP + record.tx)
    if head is not None and not ws.holds(head):
        head = None  # it was undone so long ago that nothing keeps it any more
    return Result(
        tx=record.tx,
        state=_STATES[record.kind],
        branch=record.branch,
        message=record.message,
        base=before,
        head=head,
        files=between(ws, before, head) if head else (),
        facts=msgspec.convert(record.note, Facts),
        landed=Landed(before, after, entry.oid, ()) if landed else None,
    )
