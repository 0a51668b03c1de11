"""Lets the gates judge a transaction as a whole, and what somebody made of its files with other tools."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from gitscalpel import report
from gitscalpel.edit.opening import conflict_line
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import DoesNotFit
from gitscalpel.gates.run import judge
from gitscalpel.gates.verdict import Verdict
from gitscalpel.git.snapshot import TreeSnapshot
from gitscalpel.rules import Rules
from gitscalpel.snapshot import SUBMODULE, Change, Oid, Overlay, Snapshot
from gitscalpel.text.document import Document
from gitscalpel.transaction import hooking, summary
from gitscalpel.transaction.shadow import Meta, Staged, changed, publish
from gitscalpel.unified import FileChange
from gitscalpel.workspace import Workspace


def check(ws: Workspace, staged: Staged) -> Staged:
    """Let every gate judge an open transaction as a whole, and remember what they say.

    Raises:
        GateRefused: the first refusal; it is remembered as well.
        NotAllowed: ``untrusted``.
    """
    return _hooked(ws, _gated(ws, staged))


def ready(ws: Workspace, staged: Staged) -> Staged:
    """The transaction, passed by every gate; what has judged it as it is does not judge again.

    Raises:
        ScalpelError: see :func:`check`.
    """
    return _hooked(ws, staged if staged.meta.checked else _gated(ws, staged))


def _gated(ws: Workspace, staged: Staged) -> Staged:
    rules = ws.target(staged.meta.branch).rules
    meta, verdicts = judged(ws, staged.meta, staged.files, rules)
    after = publish(ws, ws.store.commit(staged.head).tree, meta, staged.files, staged)
    refuse(verdicts, tx=staged.id)
    return after


def _hooked(ws: Workspace, staged: Staged) -> Staged:
    """The transaction after the user's hooks; where they changed it, the gates judge what they made."""
    if not hooking.concerns(ws, staged):
        return staged
    rules = ws.target(staged.meta.branch).rules
    done = hooking.run(ws, staged, rules)
    if done is None:
        return staged
    meta, files = done.meta, staged.files
    verdicts: tuple[Verdict, ...] = ()
    if done.fixed:
        files = changed(ws, ws.store.commit(meta.base).tree if meta.base else None, done.tree)
        meta, verdicts = judged(ws, meta, files, rules)
    facts = msgspec.structs.replace(
        meta.facts,
        gates=(*(row for row in meta.facts.gates if row.name != done.verdict.row.name), done.verdict.row),
        fixed=done.fixed,
        unchecked=tuple(words for words in meta.facts.unchecked if words not in hooking.waiting(ws, rules)),
    )
    verdicts = (*verdicts, done.verdict)
    passed = all(verdict.error is None for verdict in verdicts)
    meta = msgspec.structs.replace(meta, facts=facts, checked=passed)
    after = publish(ws, done.tree, meta, files, staged)
    refuse(verdicts, tx=staged.id)
    return after


def judged(
    ws: Workspace, meta: Meta, files: tuple[FileChange, ...], rules: Rules
) -> tuple[Meta, tuple[Verdict, ...]]:
    """What a transaction that changes ``files`` knows once every gate has judged it as a whole."""
    outcome = between(ws.snapshot(ws.store.commit(meta.base) if meta.base else None), files)
    verdicts = judge(outcome, rules, meta.allow_broken, whole=True)
    whole = summary.facts(outcome, verdicts, hooking.waiting(ws, rules))
    facts = msgspec.structs.replace(whole, ops=meta.facts.ops)
    passed = all(verdict.error is None for verdict in verdicts)
    return msgspec.structs.replace(meta, facts=facts, checked=passed), verdicts


def require(ws: Workspace, branch: str, before: Oid, tree: Oid) -> None:
    """Let every gate judge a tree that is to take the place of ``before`` on a branch.

    Raises:
        GateRefused: the first refusal.
    """
    outcome = between(TreeSnapshot(ws.store, ws.repo.git, before), changed(ws, before, tree))
    refuse(judge(outcome, ws.target(branch).rules, whole=True))


def between(before: Snapshot, files: Iterable[FileChange]) -> Outcome:
    """Changes that no operation made, as the gates look at them."""
    changes = [
        Change(file.path, file.new.mode, file.after) if file.new else Change.to(file.path, None)
        for file in files
        if SUBMODULE not in [entry.mode for entry in (file.old, file.new) if entry]
    ]
    return Outcome(Overlay(before, {change.path: change for change in changes}))


def refuse(verdicts: Iterable[Verdict], **data: str) -> None:
    """Raise what the first verdict that is a refusal says, with ``data``."""
    for verdict in verdicts:
        if verdict.error is not None:
            verdict.error.data.update(data)
            raise verdict.error


def refuse_markers(files: Iterable[FileChange]) -> None:
    """Refuse conflict markers, which our own operations would refuse to edit around."""
    for file in files:
        line = conflict_line(Document.read(file.after))
        if line is not None and conflict_line(Document.read(file.before)) is None:
            raise DoesNotFit(
                "conflicted",
                f"{report.quoted(file.path)} has conflict markers (line {line})",
                "resolve the conflict first",
                line=line,
            )
