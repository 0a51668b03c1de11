"""Approvals and rejections: steps of the operation log, bound to exactly what was looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import BadCall, DoesNotFit, WaitsForPerson, WorldMoved
from gitscalpel.gates import approval
from gitscalpel.git import oplog, signatures
from gitscalpel.git.oplog import Record
from gitscalpel.phrases import arg, call
from gitscalpel.rules import Rules
from gitscalpel.transaction.approvals import decisions
from gitscalpel.transaction.approvals.decisions import Standing, standing
from gitscalpel.transaction.candidate import Candidate
from gitscalpel.transaction.check.said import Asked, Said
from gitscalpel.transaction.land import healing
from gitscalpel.transaction.shadow import OpenTransaction, refreshed
from gitscalpel.workspace import Workspace


def approve(ws: Workspace, staged: OpenTransaction, message: str = "", expect: str = "") -> Standing:
    """Agree to a transaction as it is.

    Args:
        ws: where.
        staged: the transaction.
        message: what to note.
        expect: what the id of its commit begins with, if that was looked at; "": whatever it is.

    Raises:
        WorldMoved: ``stale``: it has another commit by now.
        DoesNotFit: ``no_change``: it changes nothing.
        BadCall: ``invalid_args``: it is your own.
        Misconfigured: ``identity_unknown``, or ``config_error``: it cannot be signed.
    """
    return _decide(ws, staged, "approve", message, expect)


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
    return _decide(ws, staged, "reject", message, expect)


def pending(_: Workspace, rules: Rules, outcome: Outcome) -> Iterator[str]:
    """To what people have still to agree, in words."""
    for why in approval.needed(outcome, rules).why:
        yield f"{why} needs {rules.approval.count} approval{'s' * (rules.approval.count > 1)} to land"


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
    if now.missing:
        ignored = [f"{each.user}: {each.why_not}" for each in now.decisions if not each.counts]
        said = f" (not counted: {'; '.join(ignored)})" if ignored else ""
        raise WaitsForPerson(
            "approval_required",
            f"{change.id} needs {now.missing} more approval{'s' * (now.missing > 1)} "
            f"for {approval.shown(now.needed.why)}{said}",
            f"it stays open; somebody else looks at it ({call('diff', tx=change.id)}) and says "
            f"{call('approve', tx=change.id)}; then {asked.then or call('land', tx=change.id)}",
            tx=change.id,
            missing=now.missing,
            needed=list(now.needed.why),
            approved=[each.user for each in now.approved],
        )
    names = tuple(f"{each.user} {each.entry}" for each in now.approved)
    if names == change.meta.approved:
        return None
    return Said((), lambda meta: msgspec.structs.replace(meta, approved=names))


def _decide(
    ws: Workspace, staged: OpenTransaction, kind: Literal["approve", "reject"], message: str, expect: str
) -> Standing:
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
    user = ws.user()
    if kind == "approve" and signatures.mail(user) in decisions.authors(ws, staged):
        raise BadCall(
            "invalid_args",
            f"{staged.id} is your own ({user}), so your approval does not count",
            f"ask somebody else for {call('approve', tx=staged.id)}",
        )
    needed = decisions.what(ws, staged, ws.at(staged.meta.branch).rules)
    record = Record(
        kind=kind,
        tx=staged.id,
        user=user,
        time=ws.session.now(),
        branch=staged.meta.branch,
        message=message.strip(),
        agent=ws.session.agent,
        digest=decisions.bound_to(staged, kind, needed),
    )
    with healing.locked(ws):  # whoever lands it just now has either landed it, or will see this
        staged = refreshed(ws, staged)
        if not staged.meta.decided:
            staged = staged.noted(ws, msgspec.structs.replace(staged.meta, decided=True))
        oplog.append(ws.repo, ws.store, record, sign=signatures.can_sign(ws.repo))
    return standing(ws, staged)
