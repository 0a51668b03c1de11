"""Lets the gates judge a transaction as a whole, and what somebody made of its files with other tools."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from gitscalpel import report
from gitscalpel.edit.opening import conflict_line
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import DoesNotFit
from gitscalpel.gates import configuration
from gitscalpel.gates.run import judge
from gitscalpel.gates.verdict import Verdict
from gitscalpel.git.snapshot import TreeSnapshot
from gitscalpel.rules import Policy, Rules
from gitscalpel.snapshot import SUBMODULE, Change, Entry, Oid, Overlay, Snapshot
from gitscalpel.text.document import Document
from gitscalpel.transaction import carrying, hooking, summary, waiting, worktree
from gitscalpel.transaction.shadow import Meta, Staged, changed, changing, publish, refreshed
from gitscalpel.unified import FileChange
from gitscalpel.workspace import Workspace


def check(ws: Workspace, staged: Staged, *, fresh: bool = False) -> Staged:
    """Let every gate judge an open transaction as a whole, and remember what they say.

    Args:
        ws: where.
        staged: the transaction.
        fresh: run also those commands again whose verdict on this very tree is known.

    Raises:
        GateRefused: the first refusal; it is remembered as well.
        NotAllowed: ``policy_denied`` or ``untrusted``.
        WorldMoved: ``dirty_overlap``: its worktree holds edits that are not staged.
    """
    worktree.refuse_unstaged(ws, staged)
    return _commanded(ws, _hooked(ws, _gated(ws, staged)), fresh=fresh)


def ready(ws: Workspace, staged: Staged) -> Staged:
    """The transaction, passed by every gate; what has judged it as it is does not judge again.

    Raises:
        ScalpelError: see :func:`check`.
    """
    return _commanded(ws, alone(ws, staged))


def alone(ws: Workspace, staged: Staged) -> Staged:
    """The same without the commands, which judge what several transactions leave together."""
    return _hooked(ws, staged if staged.meta.checked else _gated(ws, staged))


def together(ws: Workspace, stack: Sequence[Staged]) -> list[Staged]:
    """Transactions that stand on each other, each passed by the other gates, after the commands.

    These judge what the last one leaves, and all that changes on the way there.

    Raises:
        ScalpelError: see :func:`check`.
    """
    *others, last = stack
    if not others:
        return [_commanded(ws, last)]
    before = ws.at(last.meta.branch).snapshot.tree
    files = changed(ws, before, ws.store.commit(last.head).tree)
    return [*others, _commanded(ws, last, files=files)]


def _commanded(
    ws: Workspace, staged: Staged, *, fresh: bool = False, files: tuple[FileChange, ...] | None = None
) -> Staged:
    """The transaction after the configured commands; ``files`` is what changes, if it is not that alone."""
    target = ws.at(staged.meta.branch)
    rules = target.rules
    if not rules.gates.command:
        return staged
    from gitscalpel.transaction import commanding

    verdicts = commanding.judge(ws, staged, staged.files if files is None else files, fresh=fresh)
    staged = _decided_since(ws, staged)
    tree = ws.store.commit(staged.head).tree
    changes = [Change.to(file.path, file.new) for file in staged.files]
    left = _without(staged.meta.waiting, waiting.commands(rules, changes, target.snapshot))
    known = staged.meta.tested == tree and all(each.status in ("cached", "skipped") for each in verdicts)
    if known and left == staged.meta.waiting:
        return staged
    names = [verdict.name for verdict in verdicts]
    before = tuple(row for row in staged.meta.facts.gates if row.name not in names)
    facts = msgspec.structs.replace(staged.meta.facts, gates=(*before, *(each.row for each in verdicts)))
    passed = all(verdict.error is None for verdict in verdicts)
    meta = msgspec.structs.replace(
        staged.meta,
        facts=facts,
        waiting=left,
        checked=passed,
        tested=tree if passed else "",
    )
    after = publish(ws, tree, meta, staged.files, staged)
    refuse(verdicts, tx=staged.id)
    return after


def _gated(ws: Workspace, staged: Staged) -> Staged:
    rules = ws.at(staged.meta.branch).rules
    meta, verdicts = judged(ws, staged.meta, staged.files, rules)
    after = publish(ws, ws.store.commit(staged.head).tree, meta, staged.files, staged)
    refuse(verdicts, tx=staged.id)
    return after


def _hooked(ws: Workspace, staged: Staged) -> Staged:
    """The transaction after the user's hooks; where they changed it, the gates judge what they made."""
    if not hooking.concerns(ws, staged):
        return staged
    rules = ws.at(staged.meta.branch).rules
    done = hooking.run(ws, staged, rules)
    if done is None:
        return staged
    staged = _decided_since(ws, staged)
    meta, files = done.noted(staged.meta), staged.files
    verdicts: tuple[Verdict, ...] = ()
    if done.fixed:
        files = changed(ws, ws.store.commit(meta.base).tree if meta.base else None, done.tree)
        meta, verdicts = judged(ws, meta, files, rules)
    facts = msgspec.structs.replace(
        meta.facts,
        gates=(*(row for row in meta.facts.gates if row.name != done.verdict.row.name), done.verdict.row),
        fixed=done.fixed,
    )
    verdicts = (*verdicts, done.verdict)
    passed = all(verdict.error is None for verdict in verdicts)
    left = _without(meta.waiting, hooking.waiting(ws, rules))
    meta = msgspec.structs.replace(meta, facts=facts, waiting=left, checked=passed)
    after = publish(ws, done.tree, changing(ws, staged, meta, files), files, staged)
    if done.fixed:
        worktree.bring_along(ws, after)
    refuse(verdicts, tx=staged.id)
    return after


def _decided_since(ws: Workspace, staged: Staged) -> Staged:
    """The transaction with what people have said of it while programs judged it, which may take minutes."""
    now = refreshed(ws, staged)
    return now if now.head == staged.head else staged


def judged(
    ws: Workspace, meta: Meta, files: tuple[FileChange, ...], rules: Rules
) -> tuple[Meta, tuple[Verdict, ...]]:
    """What a transaction that changes ``files`` knows once every gate has judged it as a whole."""
    outcome = between(ws.snapshot(ws.store.commit(meta.base) if meta.base else None), files)
    outcome.carried = carrying.read(meta.carried)
    verdicts = judge(outcome, rules, meta.allow_broken, whole=True)
    verdicts = _with_adopted(ws, meta, rules, verdicts)
    whole = summary.facts(outcome, verdicts, ())
    facts = msgspec.structs.replace(whole, ops=meta.facts.ops)
    left = waiting.everything(ws, rules, outcome)
    passed = all(verdict.error is None for verdict in verdicts)
    return msgspec.structs.replace(meta, facts=facts, waiting=left, checked=passed), verdicts


def _without(some: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    known = set(others)
    return tuple(each for each in some if each not in known)


def _with_adopted(
    ws: Workspace, meta: Meta, rules: Rules, verdicts: tuple[Verdict, ...]
) -> tuple[Verdict, ...]:
    """The verdicts; the policy's is that on what was adopted, a commit of its own, if that is a refusal."""
    if meta.adopted is None or rules.policy == Policy():
        return verdicts
    from gitscalpel.gates.policy import judge as policies

    base = ws.store.commit(meta.base) if meta.base else None
    files = changed(ws, base.tree if base else None, ws.store.commit(meta.adopted).tree)
    verdict = policies.judge(between(ws.snapshot(base), files), rules.policy, policies.OF_EACH_STEP)
    if verdict.error is None:
        return verdicts
    return (*(each for each in verdicts if each.name != policies.NAME), verdict)


def policy(ws: Workspace, staged: Staged) -> Verdict:
    """What the policy says of a transaction as a whole.

    Raises:
        NotAllowed: ``policy_denied``.
    """
    from gitscalpel.gates.policy import judge as policies

    rules = ws.at(staged.meta.branch).rules
    base = ws.snapshot(ws.store.commit(staged.meta.base) if staged.meta.base else None)
    whole = policies.judge(between(base, staged.files), rules.policy)
    (verdict,) = _with_adopted(ws, staged.meta, rules, (whole,))
    refuse([verdict], tx=staged.id)
    return verdict


def require(ws: Workspace, branch: str, before: Oid, tree: Oid) -> None:
    """Let every gate judge a tree that is to take the place of ``before`` on a branch.

    Where nobody can be judged by the branch's rules, it is by those that take their place.

    Raises:
        GateRefused: the first refusal.
    """
    old, new = (TreeSnapshot(ws.store, ws.repo.git, each) for each in (before, tree))
    rules = ws.rules(new) if configuration.fault(old) else ws.at(branch).rules
    refuse(judge(between(old, changed(ws, before, tree)), rules, whole=True))


def between(before: Snapshot, files: Iterable[FileChange]) -> Outcome:
    """Changes that no operation made, as the gates look at them; a submodule as git shows it in a diff."""
    changes = [
        Change(file.path, file.new.mode, _text(file, file.new)) if file.new else Change.to(file.path, None)
        for file in files
    ]
    return Outcome(Overlay(before, {change.path: change for change in changes}))


def _text(file: FileChange, new: Entry) -> bytes:
    return f"Subproject commit {new.oid}\n".encode() if new.mode == SUBMODULE else file.after


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
