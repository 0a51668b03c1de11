"""Approvals and rejections of an open transaction, and the gate that requires the approvals.

Each decision is a commit of the operation log, bound to the content that the reviewer saw, and signed if the
person has a key. It no longer counts once the change has become a different one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Literal

import msgspec
from msgspec import UNSET

from gitscalpel.changesets.answers import Risk, message_subject
from gitscalpel.changesets.requests import require_text
from gitscalpel.changesets.rules import Approval, Rules, parse_duration
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors import BadCall, DoesNotFit, Misconfigured, WaitsForPerson, WorldMoved
from gitscalpel.errors.messages import arg, call
from gitscalpel.gates.policy import approval
from gitscalpel.gates.policy.approval import RequiredApproval
from gitscalpel.git import oplog, scratch
from gitscalpel.git.oplog import Entry, Record, mail_address
from gitscalpel.risk.factors import RiskContext, assess
from gitscalpel.transaction import recovery, static_gates
from gitscalpel.transaction.change import Change, contributor_addresses
from gitscalpel.transaction.gate_result import GateRequest, GateResult
from gitscalpel.workspace.workspace import Target, Workspace


class Decision(msgspec.Struct, frozen=True):
    """A person's decision about an open transaction."""

    kind: str  # ``approve`` or ``reject``
    user: str  # the person, as ``Name <mail>``
    time: int  # time in seconds since the epoch
    message: str
    counts: bool  # True if the decision is about the current change and has the required signature
    why_not: str = ""  # reason why it does not count, in words
    entry: str = ""  # commit of the operation log that records the decision
    stage: str = ""  # stage of the approval. Empty if there is only one.
    agent: str = ""  # program that acted for the person. Empty if there was none or it is not known.
    confirmed: str = ""  # client that says that a person agreed first. Empty if no client says so.

    @property
    def by(self) -> str:
        asked = f", and {self.confirmed} says that a person agreed" if self.confirmed else ""
        return self.user + (f" with {self.agent}" if self.agent else "") + asked


class StageStatus(msgspec.Struct, frozen=True):
    """Status of a transaction in one stage, with the approvals that count."""

    rule: Approval
    needed: RequiredApproval
    approved: tuple[Decision, ...]

    @property
    def name(self) -> str:
        return self.rule.name

    @property
    def missing(self) -> int:
        return max(0, self.rule.count - len(self.approved)) if self.needed.why else 0


class Standing(msgspec.Struct, frozen=True):
    """Approval status of a transaction."""

    stages: tuple[StageStatus, ...]  # stages, in the order in which they approve
    decisions: tuple[Decision, ...]  # decisions, newest first
    risk: Risk | None = None  # risk of the change. None if no stage depends on the risk.

    @property
    def needed(self) -> RequiredApproval:
        """Return the approval that all stages together require."""
        each = [stage.needed for stage in self.stages]
        paths = [needed.paths for needed in each if needed.paths is not None]
        why = tuple(dict.fromkeys(words for needed in each for words in needed.why))
        return RequiredApproval(why, frozenset[str]().union(*paths) if len(paths) == len(each) else None)

    @property
    def waiting(self) -> StageStatus | None:
        return next((stage for stage in self.stages if stage.missing), None)

    @property
    def approved(self) -> list[Decision]:
        return [each for each in self.decisions if each.counts and each.kind == "approve"]

    @property
    def rejected(self) -> Decision | None:
        return next((each for each in self.decisions if each.counts and each.kind == "reject"), None)

    @property
    def missing(self) -> int:
        return sum(stage.missing for stage in self.stages)


_MAX_CLOCK_SKEW = 86_400
"""Maximum difference in seconds between the clocks of reviewers."""
_CHANGED_SINCE = "the change has become another one since"


class _LogEntry(msgspec.Struct, frozen=True):
    """A decision in the operation log; ``is_outdated`` if the change has become a different one since."""

    entry: Entry
    is_outdated: bool


def approval_status(ws: Workspace, change: Change) -> Standing:
    target = ws.at(change.meta.branch)
    depends_on_risk = any(stage.risk is not None for stage in target.rules.stages)
    risk = recorded_risk(ws, change) if depends_on_risk else None
    needed = required_approvals(ws, change, target.rules, risk)
    for stage in target.rules.stages:
        if needed[stage.name].why:
            _read_signers(ws, target, stage)  # raises if they are missing, as no approval could count
    decisions = [
        _make_decision(ws, change, target, needed, logged) for logged in _iter_log_entries(ws, change)
    ]
    newest = _newest_decisions(decisions)
    approvals = {stage.name: _approvals_in_stage(stage, newest) for stage in target.rules.stages}
    stages = tuple(StageStatus(each, needed[each.name], approvals[each.name]) for each in target.rules.stages)
    return Standing(stages, tuple(newest), risk)


def required_approvals(
    ws: Workspace, change: Change, rules: Rules, risk: Risk | None
) -> dict[str, RequiredApproval]:
    outcome = static_gates.outcome_between(ws.snapshot(change.meta.base), change.files)
    needed = {stage.name: approval.required_approval(outcome, rules, stage, risk) for stage in rules.stages}
    if change.meta.require_approval:
        last = rules.stages[-1].name
        needed[last] = RequiredApproval(
            (*needed[last].why, f"the change as a whole ({arg('require_approval')})"), None
        )
    return needed


def recorded_risk(ws: Workspace, change: Change) -> Risk:
    """Return the recorded risk of a change, or assess it. A new version of the change has no record."""
    risk = change.meta.facts.risk
    return assess_risk(ws, change) if risk is UNSET else risk


def assess_risk(ws: Workspace, change: Change) -> Risk:
    rules = ws.at(change.meta.branch).rules
    outcome = static_gates.outcome_between(ws.snapshot(change.meta.base), change.files)
    return assess(
        RiskContext(ws, change.meta.base, outcome, frozenset(contributor_addresses(ws, change)), rules.risk)
    )


def record_risk(ws: Workspace, change: Change) -> Change:
    facts = msgspec.structs.replace(change.meta.facts, risk=assess_risk(ws, change))
    if facts == change.meta.facts:
        return change
    return change.with_meta(ws, change.meta.but(facts=facts))


def may_approve(stage: Approval, user: str) -> bool:
    return not stage.by or any(fnmatchcase(mail_address(user), pattern.lower()) for pattern in stage.by)


def _newest_decisions(decisions: list[Decision]) -> list[Decision]:
    """Return the decisions that the same person has not repeated or revoked since, newest first."""
    refused: set[str] = set()
    agreed: set[tuple[str, str]] = set()
    newest = []
    for each in decisions:
        address = mail_address(each.user)
        if each.counts and (address in refused or (address, each.stage) in agreed):
            continue
        if not each.counts or each.kind == "approve":
            newest.append(each)
            agreed |= {(address, each.stage)} if each.counts else set()
            continue
        refused.add(address)
        newest += [] if any(name == address for name, _ in agreed) else [each]
    return newest


def _approvals_in_stage(stage: Approval, decisions: list[Decision]) -> tuple[Decision, ...]:
    approvals = (each for each in decisions if each.counts and each.kind == "approve")
    return tuple(each for each in approvals if each.stage == stage.name)


def _iter_log_entries(ws: Workspace, change: Change) -> Iterator[_LogEntry]:
    is_outdated = False
    for entry in oplog.read_log(ws.repo):
        if entry.oid == change.meta.log:
            return
        is_outdated |= entry.oid == change.meta.since
        if entry.record.tx == change.id and entry.record.kind in ("approve", "reject"):
            yield _LogEntry(entry, is_outdated)


def _make_decision(
    ws: Workspace, change: Change, target: Target, needed: Mapping[str, RequiredApproval], logged: _LogEntry
) -> Decision:
    record = logged.entry.record
    why_not = ""
    if record.kind == "approve":
        stage = next((each for each in target.rules.stages if each.name == record.stage), None)
        if logged.is_outdated:
            why_not = _CHANGED_SINCE
        elif stage is None:
            why_not = f"there is no stage {record.stage}" if record.stage else "it names no stage"
        else:
            why_not = _reason_not_counted(ws, change, stage, needed[stage.name], record)
            why_not = why_not or _signature_fault(ws, target, stage, logged.entry)
    elif not _is_current(change, record, RequiredApproval()):
        why_not = _CHANGED_SINCE
    else:
        faults = [_signature_fault(ws, target, stage, logged.entry) for stage in target.rules.stages]
        why_not = faults[0] if all(faults) else ""
    return Decision(
        record.kind,
        record.user,
        record.time,
        message_subject(record.message),
        counts=not why_not,
        why_not=why_not,
        entry=logged.entry.oid,
        stage=record.stage,
        agent=record.agent,
        confirmed=record.confirmed,
    )


def _reason_not_counted(
    ws: Workspace, change: Change, stage: Approval, needed: RequiredApproval, record: Record
) -> str:
    age = ws.session.clock() - record.time
    if not _is_current(change, record, needed):
        return _CHANGED_SINCE
    if mail_address(record.user) in contributor_addresses(ws, change):
        return "it is the author's own"
    if not may_approve(stage, record.user):
        return f"{stage.key}.by does not name them"
    if age > parse_duration(stage.expires):
        return f"it is older than {stage.expires}"
    return "its date is in the future" if age < -_MAX_CLOCK_SKEW else ""


def _signature_fault(ws: Workspace, target: Target, stage: Approval, entry: Entry) -> str:
    """Return why the signature of a decision does not count; empty if it does, or is not required."""
    keys = _read_signers(ws, target, stage)
    if keys is None:
        return ""
    with scratch.make_scratch(ws.repo.scalpel_dir) as notes:
        fault = oplog.signature_fault(ws.repo, ws.store, entry, keys, notes.path)
    return fault and f"{fault} ({stage.signers})"


def _read_signers(ws: Workspace, target: Target, stage: Approval) -> bytes | None:
    """Return the keys that count; None if no signature is required. Raise if their file does not exist."""
    path = stage.keys
    if path is None:
        return None
    entry = target.snapshot.entry(path)
    if entry is None:
        raise Misconfigured(
            "config_error",
            f"{stage.key}.signers names {path}, which {target.name} does not have",
            "commit it with git: one line for each person, NAME@MAIL KEY, as ssh-keygen expects",
        )
    return ws.store.read(entry.oid)


def rejection_digest(change: Change) -> str:
    """Return the digest that a rejection is bound to: that of the whole change, independent of the rules."""
    return approval.approval_digest(change.files, frozenset())


def approval_digests(change: Change, needed: RequiredApproval) -> str:
    """Return the digests that an approval is bound to. The same lines in another place are another change."""
    return f"{approval.approval_digest(change.files, needed.paths)} {approval.approval_digest(change.files)}"


def _is_current(change: Change, record: Record, needed: RequiredApproval) -> bool:
    """Return True if a decision is about the transaction as it is, or as it was before a merge."""
    if record.kind == "reject":
        return record.digest == rejection_digest(change)
    lines, _, whole = approval_digests(change, needed).partition(" ")
    return record.digest in {f"{lines} {each}" for each in (whole, *change.meta.merged)}


def approve(
    ws: Workspace, staged: Change, message: str = "", expect: str = "", stage: str | None = None
) -> Standing:
    """Approve a transaction as it is, in one stage.

    ``expect`` is a prefix of the commit that was reviewed, if any. A ``stage`` of None means the one that
    waits for an approval.

    Raises:
        WorldMoved: ``stale``: the transaction has another commit now.
        DoesNotFit: ``no_change``: the transaction is empty.
        BadCall: ``invalid_args``: the user is the author or may not approve in the stage, or there is no such
            stage.
        WaitsForPerson: ``approval_required``: an earlier stage waits.
        Misconfigured: ``identity_unknown``, or ``config_error``: the decision cannot be signed.
    """
    require_unchanged(staged, expect)
    user = ws.user()
    if oplog.mail_address(user) in contributor_addresses(ws, staged):
        raise BadCall(
            "invalid_args",
            f"{staged.id} was made by you ({user}), so your approval does not count",
            f"ask another person to run {call('approve', tx=staged.id)}",
        )
    chosen = _choose_stage(staged, approval_status(ws, staged), stage)
    if not may_approve(chosen.rule, user):
        raise BadCall(
            "invalid_args",
            f"your approval ({user}) does not count: {chosen.rule.key}.by is {', '.join(chosen.rule.by)}",
            f"ask one of them to run {call('approve', tx=staged.id, stage=chosen.name)}",
        )
    record = _make_record(ws, staged, "approve", message, approval_digests(staged, chosen.needed))
    return _record_decision(ws, staged, msgspec.structs.replace(record, stage=chosen.name))


def reject(ws: Workspace, staged: Change, message: str, expect: str = "") -> Standing:
    """Reject a transaction as it is. It cannot land until it changes or the same user approves it.

    ``expect`` is a prefix of the commit that was reviewed, if any.

    Raises:
        BadCall: ``invalid_args``: there is no reason.
        ScalpelError: see :func:`approve`.
    """
    if not message.strip():
        raise BadCall(
            "invalid_args", "a rejection needs a reason", f"give the reason as the {arg('message')}"
        )
    require_unchanged(staged, expect)
    return _record_decision(ws, staged, _make_record(ws, staged, "reject", message, rejection_digest(staged)))


def pending(_: Workspace, rules: Rules, outcome: Outcome) -> Iterator[str]:
    for stage in rules.stages:
        named = f" of stage {stage.name}" if stage.name else ""
        for why in approval.required_approval(outcome, rules, stage).why:
            yield f"{why} needs {stage.count} approval{'s' * (stage.count > 1)}{named} to land"
        if stage.risk is not None:
            yield f"a risk of {stage.risk:g} or more needs approval{named}; check and land tell it"


def judge(ws: Workspace, change: Change, request: GateRequest) -> GateResult | None:
    """Return the approvals of a change if they suffice. Its landing will record them.

    Raises:
        WaitsForPerson: ``rejected`` or ``approval_required``.
    """
    now = approval_status(ws, change)
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
        ignored_note = f" (not counted: {'; '.join(ignored)})" if ignored else ""
        raise WaitsForPerson(
            "approval_required",
            f"{change.id} {_describe_missing(waiting)}{ignored_note}",
            f"ask another person to review it ({call('diff', tx=change.id)}) and to run "
            f"{call('approve', tx=change.id)}; then run {request.next_command or call('land', tx=change.id)}",
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
    return GateResult((), lambda meta: meta.but(approved=names, facts=facts))


def _describe_missing(stage: StageStatus) -> str:
    named = f" of stage {stage.name}" if stage.name else ""
    count = f"{stage.missing} more approval{'s' * (stage.missing > 1)}{named}"
    return f"needs {count} for {approval.join_reasons(stage.needed.why)}"


def _choose_stage(staged: Change, now: Standing, wanted: str | None) -> StageStatus:
    """Return the named stage. Without a name, the waiting stage, or the last one that requires approval."""
    concerned = [stage for stage in now.stages if stage.needed.why]
    if wanted is None:
        return now.waiting or (concerned or now.stages)[-1]
    names = [stage.name for stage in now.stages]
    if wanted not in names:
        stage_hint = f"choose one of {', '.join(names)}" if any(names) else "approval has no stages there"
        raise BadCall(
            "invalid_args", f"no such stage: {wanted}", f"{stage_hint}; or leave {arg('stage')} out"
        )
    chosen = now.stages[names.index(wanted)]
    before = now.waiting
    if before is not None and names.index(before.name) < names.index(wanted):
        raise WaitsForPerson(
            "approval_required",
            f"stage {wanted} comes after {before.name}: {staged.id} {_describe_missing(before)}",
            f"first run {call('approve', tx=staged.id, stage=before.name)}",
            tx=staged.id,
            stage=before.name,
        )
    return chosen


def require_unchanged(staged: Change, expect: str) -> None:
    """Raise if the transaction changed since the reviewer saw it, or is empty."""
    if not staged.head.startswith(expect.lower()):
        raise WorldMoved(
            "stale",
            f"{staged.id} is now at commit {staged.head[:12]}",
            f"look at it again: {call('diff', tx=staged.id)}",
            tx=staged.id,
            head=staged.head,
        )
    if not staged.files:
        raise DoesNotFit("no_change", f"transaction {staged.id} changes nothing", "wait for a change")


def _make_record(
    ws: Workspace,
    staged: Change,
    kind: Literal["approve", "reject"],
    message: str,
    digest: str,
) -> Record:
    return Record(
        kind=kind,
        tx=staged.id,
        **ws.author_fields(),
        branch=staged.meta.branch,
        message=require_text(message).strip(),
        digest=digest,
    )


def _record_decision(ws: Workspace, staged: Change, record: Record) -> Standing:
    with recovery.hold_lock(ws):  # a concurrent landing has finished, or will see this decision
        staged = staged.refresh(ws)
        if not staged.meta.decided:
            staged = staged.with_meta(ws, staged.meta.but(decided=True))
        oplog.append_record(ws.repo, ws.store, record, sign=oplog.can_sign(ws.repo))
    return approval_status(ws, staged)
