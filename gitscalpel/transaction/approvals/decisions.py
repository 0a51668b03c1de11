"""What has been decided about an open transaction, and what of that counts.

A decision is a commit of the operation log, signed where the person who made it has a key. What
somebody has decided about a change that has become another one since counts no more.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gitscalpel.errors import Misconfigured
from gitscalpel.gates import approval
from gitscalpel.gates.approval import Needed
from gitscalpel.git import oplog, scratch, signatures
from gitscalpel.git.oplog import Entry, Record
from gitscalpel.git.signatures import mail
from gitscalpel.report import subject
from gitscalpel.rules import Rules, seconds
from gitscalpel.transaction.candidate import Candidate
from gitscalpel.transaction.check import reading
from gitscalpel.workspace import Target, Workspace

_SKEW = 86_400
"""Seconds by which the clocks of those who decide may differ."""


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


class _Said(msgspec.Struct, frozen=True):
    """An entry of the log that is a decision, and whether the change has become another one after it."""

    entry: Entry
    past: bool


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


def standing(ws: Workspace, change: Candidate) -> Standing:
    """Who has to agree, and who has."""
    target = ws.at(change.meta.branch)
    needed = what(ws, change, target.rules)
    if needed.why:
        _signers(ws, target)  # without them nobody's approval could count
    found = [_decision(ws, change, target, needed, said) for said in _about(ws, change)]
    newest: dict[str, Decision] = {}
    for each in found:
        if each.counts:
            newest.setdefault(mail(each.user), each)
    counted = [each for each in found if not each.counts or newest[mail(each.user)] is each]
    return Standing(needed, target.rules.approval.count, tuple(counted))


def what(ws: Workspace, change: Candidate, rules: Rules) -> Needed:
    """What of a transaction has to be agreed to."""
    base = ws.snapshot(change.meta.base)
    return approval.needed(reading.between(base, change.files), rules)


def _about(ws: Workspace, change: Candidate) -> Iterator[_Said]:
    """The decisions on a transaction, the newest first."""
    past = False
    for entry in oplog.read(ws.repo):
        if entry.oid == change.meta.log:
            return
        past |= entry.oid == change.meta.since
        if entry.record.tx == change.id and entry.record.kind in ("approve", "reject"):
            yield _Said(entry, past)


def _decision(ws: Workspace, change: Candidate, target: Target, needed: Needed, said: _Said) -> Decision:
    entry, record = said.entry, said.entry.record
    is_past = said.past and record.kind == "approve"
    why_not = "the change has become another one since" if is_past else ""
    why_not = why_not or _why_not(ws, change, target.rules, needed, entry) or _unsigned(ws, target, entry)
    return Decision(
        record.kind,
        record.user,
        record.time,
        subject(record.message),
        counts=not why_not,
        why_not=why_not,
        entry=entry.oid,
    )


def _why_not(ws: Workspace, change: Candidate, rules: Rules, needed: Needed, entry: Entry) -> str:
    record = entry.record
    if not _is_about(change, record, needed):
        return "the change has become another one since"
    if record.kind == "approve" and mail(record.user) in authors(ws, change):
        return "it is the author's own"
    age = ws.session.clock() - record.time
    if record.kind == "approve" and age > seconds(rules.approval.expires):
        return f"it is older than {rules.approval.expires}"
    if record.kind == "approve" and age < -_SKEW:
        return "it has a date that is still to come"
    return ""


def _unsigned(ws: Workspace, target: Target, entry: Entry) -> str:
    """Why the signature of a decision does not count, where one is asked for."""
    known = _signers(ws, target)
    if known is None:
        return ""
    with scratch.made(ws.repo.scalpel_dir) as notes:
        says = signatures.fault(ws.repo, ws.store, entry, known, notes.path)
    return says and f"{says} ({target.rules.approval.signers})"


def _signers(ws: Workspace, target: Target) -> bytes | None:
    """The keys that count; None: no signature is asked for. Raises ``Misconfigured``: they are not there."""
    path = target.rules.approval.keys
    if path is None:
        return None
    found = target.snapshot.entry(path)
    if found is None:
        raise Misconfigured(
            "config_error",
            f"approval.signers names {path}, which {target.name} does not have",
            "commit it with git: one line for each person, NAME@MAIL KEY, as for ssh-keygen",
        )
    return ws.store.read(found.oid)


def bound_to(change: Candidate, kind: str, needed: Needed) -> str:
    """What a decision is about, in short; a no is about the change, whatever the rules want by now.

    A yes is about the change where it stands as well: the same lines elsewhere are another one.
    """
    if kind == "reject":
        return approval.digest(change.files, frozenset())
    return f"{approval.digest(change.files, needed.paths)} {approval.digest(change.files)}"


def _is_about(change: Candidate, record: Record, needed: Needed) -> bool:
    """Whether a decision is about the transaction as it is, or as it was before it was merged."""
    now = bound_to(change, record.kind, needed)
    if record.kind == "reject":
        return record.digest == now
    lines, _, whole = now.partition(" ")
    return record.digest in {f"{lines} {each}" for each in (whole, *change.meta.merged)}


def authors(ws: Workspace, change: Candidate) -> set[str]:
    """Who has put something into it, and whose commits it is going to land."""
    own = [ws.store.commit(oid).author for oid in (change.head, change.meta.adopted) if oid is not None]
    return set(map(mail, (*change.meta.by, *own)))
