"""Approve and reject transactions, and check that a change has the approvals it needs.

Each decision is an entry of the operation log, bound to exactly the content that the reviewer saw.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from gitscalpel.changesets.rules import Rules
from gitscalpel.changesets.validation import worded
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import BadCall, DoesNotFit, WaitsForPerson, WorldMoved
from gitscalpel.errors.messages import arg, call
from gitscalpel.gates.policy import approval
from gitscalpel.git import oplog
from gitscalpel.git.oplog import Record
from gitscalpel.transaction.candidate import Candidate, authors
from gitscalpel.transaction.check import decisions
from gitscalpel.transaction.check.decisions import Stage, Standing, standing
from gitscalpel.transaction.gate_result import Asked, Said
from gitscalpel.transaction.movement import auto_recovery
from gitscalpel.transaction.open_transaction import OpenTransaction, refreshed
from gitscalpel.workspace import Workspace


def approve(
    ws: Workspace, staged: OpenTransaction, message: str = "", expect: str = "", stage: str | None = None
) -> Standing:
    """Agree to a transaction as it is, in one stage.

    Args:
        ws: where.
        staged: the transaction.
        message: what to note.
        expect: what the id of its commit begins with, if that was looked at; "": whatever it is.
        stage: which; None: that in which somebody has to agree next.

    Raises:
        WorldMoved: ``stale``: it has another commit by now.
        DoesNotFit: ``no_change``: it changes nothing.
        BadCall: ``invalid_args``: it is your own, there is no such stage, or it asks others.
        WaitsForPerson: ``approval_required``: a stage before that waits.
        Misconfigured: ``identity_unknown``, or ``config_error``: it cannot be signed.
    """
    refuse_other(staged, expect)
    user = ws.user()
    if oplog.mail_address(user) in authors(ws, staged):
        raise BadCall(
            "invalid_args",
            f"{staged.id} is your own ({user}), so your approval does not count",
            f"ask somebody else for {call('approve', tx=staged.id)}",
        )
    chosen = _chosen(staged, standing(ws, staged), stage)
    if not decisions.may(chosen.rule, user):
        raise BadCall(
            "invalid_args",
            f"your approval ({user}) does not count: {chosen.rule.key}.by is {', '.join(chosen.rule.by)}",
            f"ask one of them for {call('approve', tx=staged.id, stage=chosen.name)}",
        )
    record = _said(ws, staged, "approve", message, decisions.bound_to(staged, chosen.needed))
    return _decide(ws, staged, msgspec.structs.replace(record, stage=chosen.name))


def reject(ws: Workspace, staged: OpenTransaction, message: str, expect: str = "") -> Standing:
    """Say no to a transaction as it is: it does not land until it has changed, or you approve it.

    Arguments as for :func:`approve`.

    Raises:
        BadCall: ``invalid_args``: no reason is given.
        ScalpelError: see :func:`approve`.
    """
    if not message.strip():
        raise BadCall(
            "invalid_args", "a rejection needs a reason", f"say what has to change, as the {arg('message')}"
        )
    refuse_other(staged, expect)
    return _decide(ws, staged, _said(ws, staged, "reject", message, decisions.rejecting(staged)))


def pending(_: Workspace, rules: Rules, outcome: Outcome) -> Iterator[str]:
    """To what people have still to agree, in words."""
    for stage in rules.stages:
        named = f" of stage {stage.name}" if stage.name else ""
        for why in approval.needed(outcome, rules, stage).why:
            yield f"{why} needs {stage.count} approval{'s' * (stage.count > 1)}{named} to land"
        if stage.risk is not None:
            yield f"a risk of {stage.risk:g} or more needs approval{named}; check and land tell it"


def judge(ws: Workspace, change: Candidate, asked: Asked) -> Said | None:
    """Who has agreed to a change as it is, if these are enough; its landing will name them.

    Raises:
        WaitsForPerson: ``rejected`` or ``approval_required``.
    """
    now = standing(ws, change)
    rejected = now.rejected
    if rejected is not None:
        raise WaitsForPerson(
            "rejected",
            f"{rejected.user} has rejected {change.id}: {rejected.message}",
            f"change it ({arg('tx', change.id)}) and ask again, or {call('drop', ids=change.id)}",
            tx=change.id,
            by=rejected.user,
        )
    waiting = now.waiting
    if waiting is not None:
        ignored = [f"{each.user}: {each.why_not}" for each in now.decisions if not each.counts]
        said = f" (not counted: {'; '.join(ignored)})" if ignored else ""
        raise WaitsForPerson(
            "approval_required",
            f"{change.id} {_wanted(waiting)}{said}",
            f"it stays open; somebody else looks at it ({call('diff', tx=change.id)}) and says "
            f"{call('approve', tx=change.id)}; then {asked.then or call('land', tx=change.id)}",
            tx=change.id,
            missing=now.missing,
            needed=list(now.needed.why),
            approved=[each.user for each in now.approved],
            **({"stage": waiting.name} if waiting.name else {}),
        )
    names = tuple(f"{each.user} {each.entry}" for each in now.approved)
    facts = change.meta.facts
    facts = facts if now.risk is None else msgspec.structs.replace(facts, risk=now.risk)
    if (names, facts) == (change.meta.approved, change.meta.facts):
        return None
    return Said((), lambda meta: msgspec.structs.replace(meta, approved=names, facts=facts))


def _wanted(stage: Stage) -> str:
    """Whom a stage waits for, in words."""
    named = f" of stage {stage.name}" if stage.name else ""
    many = f"{stage.missing} more approval{'s' * (stage.missing > 1)}{named}"
    return f"needs {many} for {approval.shown(stage.needed.why)}"


def _chosen(staged: OpenTransaction, now: Standing, wanted: str | None) -> Stage:
    """The stage that is named; else that that waits, or the last that did."""
    concerned = [stage for stage in now.stages if stage.needed.why]
    if wanted is None:
        return now.waiting or (concerned or now.stages)[-1]
    names = [stage.name for stage in now.stages]
    if wanted not in names:
        there = f"there are {', '.join(names)}" if any(names) else "approval has no stages there"
        raise BadCall("invalid_args", f"there is no stage {wanted}", f"{there}; or leave {arg('stage')} out")
    chosen = now.stages[names.index(wanted)]
    before = now.waiting
    if before is not None and names.index(before.name) < names.index(wanted):
        raise WaitsForPerson(
            "approval_required",
            f"stage {wanted} comes after {before.name}: {staged.id} {_wanted(before)}",
            f"first {call('approve', tx=staged.id, stage=before.name)}",
            tx=staged.id,
            stage=before.name,
        )
    return chosen


def refuse_other(staged: OpenTransaction, expect: str) -> None:
    """Refuse to decide about what is not, or no longer, what was looked at, or changes nothing."""
    if not staged.head.startswith(expect.lower()):
        raise WorldMoved(
            "stale",
            f"{staged.id} is now at commit {staged.head[:12]}",
            f"look at it again: {call('diff', tx=staged.id)}",
            tx=staged.id,
            head=staged.head,
        )
    if not staged.files:
        raise DoesNotFit("no_change", f"transaction {staged.id} changes nothing", "wait until it does")


def _said(
    ws: Workspace,
    staged: OpenTransaction,
    kind: Literal["approve", "reject"],
    message: str,
    digest: str,
) -> Record:
    return Record(
        kind=kind,
        tx=staged.id,
        **ws.hand(),
        branch=staged.meta.branch,
        message=worded(message).strip(),
        digest=digest,
    )


def _decide(ws: Workspace, staged: OpenTransaction, record: Record) -> Standing:
    with auto_recovery.locked(ws):  # whoever lands it just now has either landed it, or will see this
        staged = refreshed(ws, staged)
        if not staged.meta.decided:
            staged = staged.noted(ws, msgspec.structs.replace(staged.meta, decided=True))
        oplog.append(ws.repo, ws.store, record, sign=oplog.can_sign(ws.repo))
    return standing(ws, staged)
