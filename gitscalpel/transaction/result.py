"""Result of a call that edits, lands or shows a transaction, as every front end reports it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from gitscalpel.changesets.answers import CHECKOUT, Edited, Facts, remark, short_branch_name
from gitscalpel.changesets.file_tree import Changes, Oid
from gitscalpel.edit.unified_diff import describe_changes
from gitscalpel.errors import BadCall
from gitscalpel.errors.messages import Action, action, arg, call, spell
from gitscalpel.git import journal, oplog, refs
from gitscalpel.system import serialization
from gitscalpel.transaction.branch_update import Landed
from gitscalpel.transaction.change import Change, Meta, diff_commits, find_change, list_open_changes
from gitscalpel.workspace.workspace import Workspace

if TYPE_CHECKING:
    from gitscalpel.changesets.requests import Changeset
    from gitscalpel.edit.unified_diff import UnifiedDiff

REMEMBERED = 1_000
"""Maximum number of log entries to search for an earlier request."""
_CLOSING = {"land": "landed", "edit": "edited", "drop": "dropped"}
"""Kinds of steps that close a request, with the resulting state."""
_ENDS = (*_CLOSING, "undo", "redo")
"""Kinds of steps that close a request or change its state later."""


class Result(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Result of a call that edits, lands or shows a transaction."""

    tx: str | None  # id of the transaction. None in a dry run.
    state: str  # ``open``, ``checked``, ``landed``, ``edited`` (in the checkout), ``undone`` or ``dropped``
    branch: str  # target, ``refs/heads/…``, or the name of the checkout
    message: str
    base: Oid | None  # commit of the branch that it starts from, or None if unborn
    head: Oid | None  # commit of the transaction. None in a dry run.
    files: Changes  # changed files: of the call in an edit, of the transaction otherwise
    facts: Facts  # operations, intents and verdicts, with the same scope as ``files``
    said: tuple[str, ...] = ()  # warnings, before a front end spells them
    landed: Landed | None = None  # the move of the branch, once it has landed
    worktree: str | None = None  # directory of the leased worktree
    answers: str = ""  # transaction that it is a suggestion for; "" if it is none
    # True if it has landed on a branch that is not checked out, so that undo has to name it
    elsewhere: bool = False
    # notes on judgements that are still open, by gate; also in ``facts.unchecked``
    pending: Mapping[str, tuple[str, ...]] = {}

    @property
    def target(self) -> str:
        return short_branch_name(self.branch)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return the warnings, with fields and calls by their names."""
        return tuple(str(spell(words)) for words in self.said)

    @cached_property
    def patch(self) -> UnifiedDiff:
        return describe_changes(self.files)

    @property
    def next(self) -> tuple[Action, ...]:
        if self.tx is None:
            return ()
        if self.state in ("landed", "edited"):
            return (self.back,)
        if self.landed or self.state in ("undone", "dropped"):
            return ()
        return (action("land", tx=self.tx), action("drop", ids=self.tx))

    @property
    def back(self) -> Action:
        return action("undo", onto=self.target if self.elsewhere else None)

    def answer(self, note: str = "") -> Edited:
        facts = self.facts
        return Edited(
            tx=self.tx,
            state=self.state,
            target=self.target,
            message=self.message,
            base=self.base,
            head=self.head,
            landed=self.landed.after if self.landed else None,
            diff=self.patch.diff,
            files=tuple(self.patch.rows),
            ops=facts.ops,
            intents=facts.intents,
            gates=facts.gates,
            fixed=facts.fixed,
            remaining=facts.remaining,
            unchecked=facts.unchecked,
            findings=facts.findings,
            affected=facts.affected,
            propagated=facts.propagated,
            stale_docs=facts.stale_docs,
            risk=facts.risk,
            worktree=self.worktree or UNSET,
            answers=self.answers or UNSET,
            note=note or UNSET,
        )

    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = msgspec.to_builtins(self.answer())
        return data


def localize_result(ws: Workspace, done: Result) -> Result:
    """Return the result for the caller of ``ws``: ``elsewhere`` depends on the branch that is checked out."""
    current_branch = ws.repo.head if ws.repo.work_tree is not None else None
    return msgspec.structs.replace(done, elsewhere=done.branch not in (current_branch, CHECKOUT))


def result_of(change: Change) -> Result:
    """Return a change as a whole, which has not landed."""
    meta = change.meta
    return msgspec.structs.replace(
        draft_result(meta, change.files),
        tx=change.id,
        state="checked" if meta.checked else "open",
        head=change.head,
        answers=meta.answers,
        pending=meta.pending,
    )


def draft_result(meta: Meta, files: Changes) -> Result:
    """Return the result of a dry run. Pending judgements count as unchecked."""
    unchecked = (*meta.facts.unchecked, *chain.from_iterable(meta.pending.values()))
    return Result(
        tx=None,
        state="checked",
        branch=meta.branch,
        message=meta.message,
        base=meta.base,
        head=None,
        files=files.read_all(),
        facts=msgspec.structs.replace(meta.facts, unchecked=unchecked),
        said=meta.warnings,
    )


def find_earlier(ws: Workspace, changeset: Changeset, branch: str) -> Result | Change | None:
    """Return the earlier result of this request, or its open transaction, or None if the request is new.

    Only the newest steps of the log are searched, because a request is repeated soon or not at all. The cost
    does not depend on the length of the log.

    Raises:
        BadCall: ``invalid_args``: the id was used for another branch, or for other operations.
    """
    if changeset.request_id is None:
        return None
    last: dict[str, oplog.Record] = {}
    for entry in oplog.read_log(ws.repo, REMEMBERED):
        record = entry.record
        if record.kind in _ENDS:
            last.setdefault(record.tx, record)
        if record.kind in _CLOSING and changeset.request_id in record.request_ids:
            _require_same_request(changeset.request_id, record.tx, record.where, branch)
            _require_same_worktree(ws, record)
            require_same_operations(changeset, record.requests, record.tx)
            return _with_outcome(ws, closed_result(ws, entry), last[record.tx])
    found = next(
        (staged for staged in list_open_changes(ws) if changeset.request_id in staged.meta.request_ids), None
    )
    if found is not None:
        _require_same_request(changeset.request_id, found.id, found.meta.branch, branch)
        require_same_operations(changeset, found.meta.requests, found.id)
    return found


def _require_same_request(request_id: str, tx: str, branch: str, wanted: str) -> None:
    if branch != wanted:
        name, other = (short_branch_name(ref) for ref in (branch, wanted))
        raise BadCall(
            "invalid_args",
            f"request_id {request_id} was used for {name} ({tx}), not for {other}",
            f"give the request for {other} another request_id, or send it again with {arg('onto', name)} "
            "to get its result",
            tx=tx,
        )


def _require_same_worktree(ws: Workspace, record: oplog.Record) -> None:
    """Raise if a request id was used for files of another worktree."""
    if record.where == CHECKOUT and record.place != journal.worktree_name(ws.repo):
        raise BadCall(
            "invalid_args",
            f"request {record.tx} was made in another worktree",
            "give this request another `request_id`",
            tx=record.tx,
        )


def require_unused_request(ws: Workspace, changeset: Changeset, branch: str) -> None:
    """Raise :class:`BadCall` (``invalid_args``) if a request in a transaction was already done elsewhere."""
    found = find_earlier(ws, changeset, branch)
    if found is not None:
        tx = found.tx if isinstance(found, Result) else found.id
        raise BadCall(
            "invalid_args",
            f"request_id {changeset.request_id} was used before ({tx})",
            f"give this request another `request_id`; {call('show-tx', tx=tx)} shows the result of the other",
            tx=tx,
        )


def require_same_operations(changeset: Changeset, digests: Mapping[str, str], tx: str) -> None:
    """Raise if the transaction ``tx`` has other operations under the same request id.

    Raises:
        BadCall: ``invalid_args``.
    """
    if digests.get(changeset.request_id or "", changeset.digest) != changeset.digest:
        raise BadCall(
            "invalid_args",
            f"request_id {changeset.request_id} was used for other operations ({tx})",
            f"give these another `request_id`; {call('show-tx', tx=tx)} shows the result of the others",
            tx=tx,
        )


def _with_outcome(ws: Workspace, result: Result, last: oplog.Record) -> Result:
    """Return the result of a closed transaction, with its state since then."""
    state = "undone" if last.kind == "undo" else result.state
    if state == "edited":
        return result
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
    return msgspec.structs.replace(result, state=state, said=(*result.said, remark(note, severity="note")))


def find(ws: Workspace, prefix: str) -> Result:
    """Return a transaction, open or closed. Raises :class:`DoesNotFit` (``tx_not_found``)."""
    found = find_change(ws, prefix)
    if isinstance(found, Change):
        return result_of(found)
    entries = (e for e in oplog.read_log(ws.repo) if e.record.tx == found.tx and e.record.kind in _ENDS)
    last = next(entries)
    closing = next(entry for entry in chain([last], entries) if entry.record.kind in _CLOSING)
    ended = closed_result(ws, closing)
    return msgspec.structs.replace(ended, state="undone") if last.record.kind == "undo" else ended


def closed_result(ws: Workspace, entry: oplog.Entry) -> Result:
    record = entry.record
    landed, edited = record.kind == "land", record.kind == "edit"
    before, after = (Oid(c) if c else None for c in (record.before, record.after))
    head = after if landed or edited else ws.store.resolve(refs.KEEP + record.tx)
    if head is not None and not ws.has_commit(head):
        head = None  # it was undone so long ago that its commit has expired
    return Result(
        tx=record.tx,
        state=_CLOSING[record.kind],
        branch=record.where,
        message=record.message,
        base=None if edited else before,
        head=None if edited else head,
        files=diff_commits(ws, before, head).read_all() if head else Changes(),
        facts=serialization.convert(record.note, Facts),
        landed=Landed(before, after, entry.oid, ()) if landed else None,
    )
