"""Approvals and rejections: steps of the operation log, bound to exactly what was looked at.

A decision is a commit of the log, signed where the person who makes it has a key. What somebody has
decided about a change that has become another one since counts no more.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import msgspec

from gitscalpel.errors import BadCall, DoesNotFit, Misconfigured, WaitsForPerson
from gitscalpel.gates import approval
from gitscalpel.gates.approval import Needed
from gitscalpel.git import oplog, scratch, signatures
from gitscalpel.git.oplog import Entry, Record
from gitscalpel.report import subject
from gitscalpel.rules import Rules, seconds
from gitscalpel.transaction import healing, judging
from gitscalpel.transaction.shadow import Meta, Staged, publish, refreshed
from gitscalpel.workspace import Target, Workspace, agent

_SKEW = 86_400
"""Seconds by which the clocks of those who write the log may differ."""


class Decision(msgspec.Struct, frozen=True):
    """What somebody has decided about an open transaction.

    Attributes:
        kind: ``approve`` or ``reject``.
        user: who, ``Name <mail>``.
        time: when, in seconds since the epoch.
        message: why.
        counts: it is about the transaction as it is, and has the signature that the rules ask for.
        why_not: why it does not count, in words.
        entry: the log's commit that says so.
    """

    kind: str
    user: str
    time: int
    message: str
    counts: bool
    why_not: str = ""
    entry: str = ""


class Standing(msgspec.Struct, frozen=True):
    """Where a transaction stands with those who have to agree to it.

    Attributes:
        needed: what has to be agreed to.
        count: by how many.
        decisions: what was decided so far, the newest first.
    """

    needed: Needed
    count: int
    decisions: tuple[Decision, ...]

    @property
    def approved(self) -> list[Decision]:
        """The approvals that count."""
        return [each for each in self.decisions if each.counts and each.kind == "approve"]

    @property
    def rejected(self) -> Decision | None:
        """The rejection that stands, if there is one."""
        return next((each for each in self.decisions if each.counts and each.kind == "reject"), None)

    @property
    def missing(self) -> int:
        """How many more have to agree."""
        return max(0, self.count - len(self.approved)) if self.needed.why else 0


def approve(ws: Workspace, staged: Staged, message: str = "") -> Standing:
    """Agree to a transaction as it is.

    Raises:
        DoesNotFit: ``no_change``: it changes nothing.
        BadCall: ``invalid_args``: it is your own.
        Misconfigured: ``identity_unknown``, or ``config_error``: it cannot be signed.
    """
    return _decide(ws, staged, "approve", message)


def reject(ws: Workspace, staged: Staged, message: str) -> Standing:
    """Say no to a transaction as it is: it does not land until it has changed, or you approve it.

    Raises:
        BadCall: ``invalid_args``: no reason is given.
        ScalpelError: see :func:`approve`.
    """
    if not message.strip():
        raise BadCall("invalid_args", "a rejection needs a reason", "say what has to change: -m REASON")
    return _decide(ws, staged, "reject", message)


def standing(ws: Workspace, staged: Staged) -> Standing:
    """Who has to agree, and who has."""
    target = ws.target(staged.meta.branch)
    needed = _needed(ws, staged, target.rules)
    count = target.rules.approval.count
    if not needed.why and not any(_about(ws, staged)):
        return Standing(needed, count, ())
    found = [_decision(ws, staged, target, needed, entry) for entry in _about(ws, staged)]
    newest: dict[str, Decision] = {}
    for each in found:
        if each.counts:
            newest.setdefault(_mail(each.user), each)
    counted = [each for each in found if not each.counts or newest[_mail(each.user)] is each]
    return Standing(needed, count, tuple(counted))


def agreed(ws: Workspace, staged: Staged) -> Staged:
    """The transaction with those who have agreed to it as it is, if these are enough.

    Returns:
        the transaction; its landing will name them.

    Raises:
        WaitsForPerson: ``rejected`` or ``approval_required``.
    """
    now = standing(ws, staged)
    rejected = now.rejected
    if rejected is not None:
        raise WaitsForPerson(
            "rejected",
            f"{rejected.user} has rejected {staged.id}: {rejected.message}",
            f"change it (--tx {staged.id}) and ask again, or git scalpel drop {staged.id}",
            tx=staged.id,
            by=rejected.user,
        )
    if now.missing:
        ignored = [f"{each.user}: {each.why_not}" for each in now.decisions if not each.counts]
        said = f" (not counted: {'; '.join(ignored)})" if ignored else ""
        raise WaitsForPerson(
            "approval_required",
            f"{staged.id} needs {now.missing} more approval{'s' * (now.missing > 1)} "
            f"for {approval.shown(now.needed.why)}{said}",
            f"it stays open; somebody else looks at it (git scalpel diff {staged.id}) and says "
            f"git scalpel approve {staged.id}; then git scalpel land {staged.id}",
            tx=staged.id,
            missing=now.missing,
            needed=list(now.needed.why),
            approved=[each.user for each in now.approved],
        )
    names = tuple(f"{each.user} {each.entry}" for each in now.approved)
    if names == staged.meta.approved:
        return staged
    return _noted(ws, staged, msgspec.structs.replace(staged.meta, approved=names))


def _noted(ws: Workspace, staged: Staged, meta: Meta) -> Staged:
    return publish(ws, ws.store.commit(staged.head).tree, meta, staged.files, staged)


def _decide(ws: Workspace, staged: Staged, kind: str, message: str) -> Standing:
    if not staged.files:
        raise DoesNotFit("no_change", f"transaction {staged.id} changes nothing", "wait until it does")
    user = ws.user()
    if kind == "approve" and _mail(user) in _authors(staged):
        raise BadCall(
            "invalid_args",
            f"{staged.id} is your own ({user}), so your approval says nothing",
            f"ask somebody else for git scalpel approve {staged.id}",
        )
    needed = _needed(ws, staged, ws.target(staged.meta.branch).rules)
    record = Record(
        kind="approve" if kind == "approve" else "reject",
        tx=staged.id,
        user=user,
        time=int(time.time()),
        branch=staged.meta.branch,
        message=message.strip(),
        agent=agent(),
        digest=approval.digest(staged.files, needed.paths),
    )
    with healing.locked(ws):  # whoever lands it just now has either landed it, or will see this
        staged = refreshed(ws, staged)
        if not staged.meta.decided:
            staged = _noted(ws, staged, msgspec.structs.replace(staged.meta, decided=True))
        oplog.append(ws.repo, ws.store, record, sign=signatures.can_sign(ws.repo))
    return standing(ws, staged)


def _needed(ws: Workspace, staged: Staged, rules: Rules) -> Needed:
    base = ws.snapshot(ws.store.commit(staged.meta.base) if staged.meta.base else None)
    return approval.needed(judging.between(base, staged.files), rules)


def _about(ws: Workspace, staged: Staged) -> Iterator[Entry]:
    """The decisions on a transaction, the newest first; none is older than it, as far as clocks agree."""
    for entry in oplog.read(ws.repo):
        if entry.record.time < staged.meta.begun - _SKEW:
            return
        if entry.record.tx == staged.id and entry.record.kind in ("approve", "reject"):
            yield entry


def _decision(ws: Workspace, staged: Staged, target: Target, needed: Needed, entry: Entry) -> Decision:
    record = entry.record
    why_not = _why_not(staged, target.rules, needed, entry) or _unsigned(ws, target, entry)
    return Decision(
        record.kind,
        record.user,
        record.time,
        subject(record.message),
        counts=not why_not,
        why_not=why_not,
        entry=entry.oid,
    )


def _why_not(staged: Staged, rules: Rules, needed: Needed, entry: Entry) -> str:
    record = entry.record
    if record.digest != approval.digest(staged.files, needed.paths):
        return "the change has become another one since"
    if record.kind == "approve" and _mail(record.user) in _authors(staged):
        return "it is the author's own"
    if record.kind == "approve" and time.time() - record.time > seconds(rules.approval.expires):
        return f"it is older than {rules.approval.expires}"
    return ""


def _unsigned(ws: Workspace, target: Target, entry: Entry) -> str:
    """Why the signature of a decision does not count, where one is asked for."""
    path = target.rules.approval.signers
    if path is None:
        return ""
    found = target.snapshot.entry(path)
    if found is None:
        raise Misconfigured(
            "config_error",
            f"approval.signers names {path}, which {target.name} does not have",
            "add it: one line for each person, NAME@MAIL KEY, as for ssh-keygen",
        )
    with scratch.made(ws.repo.scalpel_dir) as notes:
        name = signatures.signer(ws.repo, entry.oid, ws.store.read(found.oid), notes.path)
    if name is None:
        return f"it has no signature of a key in {path}"
    if name.lower() != _mail(entry.record.user):
        return f"it is signed by {name}"
    return ""


def _authors(staged: Staged) -> set[str]:
    return set(map(_mail, staged.meta.by))


def _mail(person: str) -> str:
    return person.partition("<")[2].partition(">")[0].strip().lower()
