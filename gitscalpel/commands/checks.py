"""Commands check, risk, policy and audit.

``check`` runs the gates on an open transaction, the checkout or the staged changes, and lands nothing.
``risk`` explains the score of a transaction or calibrates the weights from the history. ``policy`` checks
a transaction or explains the rules for a path. ``audit`` verifies the operation log or exports it as JSON
lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.api import BadCall, Damaged, GateRefused
from gitscalpel.changesets.answers import CHECKOUT, Edited, Fixes, GateRow, Judged, quote_for_line, remark
from gitscalpel.changesets.answers import Risk as AnswersRisk
from gitscalpel.commands import reply
from gitscalpel.commands.reply import (
    Caller,
    CommandRequest,
    Count,
    Onto,
    Reply,
    ReplyText,
    TransactionRequest,
    describe_field,
    plain_text,
)
from gitscalpel.errors.messages import Spelling, action, arg
from gitscalpel.system import serialization

if TYPE_CHECKING:
    from gitscalpel.api import Calibration, Risk


def risk_lines(risk: Risk, *, every: bool = False) -> list[str]:
    """Return lines for the score and the factors that contribute to it, or all factors if ``every``."""
    shown = [each for each in risk.factors if every or each.contribution]
    return [
        f"  risk {risk.score:.2f}",
        *(f"    {each.name:<9}{each.contribution:>+6.2f}  {each.why}" for each in shown),
    ]


_FILES = ("+++", "---")
"""Prefixes of the lines of a diff that name files."""
CheckAnswer = Edited | Judged | Fixes


class CheckRequest(TransactionRequest, frozen=True, kw_only=True):
    """Subject and options of a check."""

    examples = ("7k3m", "--staged --only syntax,docs")

    fresh: Annotated[bool, describe_field("Ignore cached gate results.")] = False
    staged: Annotated[bool, describe_field("Check the index with the gates that start no programs.")] = False
    only: Annotated[
        tuple[str, ...],
        describe_field(
            "Gates to run on the index: syntax,structure,policy,docs (default: all).", "GATES", form="commas"
        ),
    ] = ()
    fixes: Annotated[
        bool, describe_field("List new diagnostics and the fixes that servers and linters offer.")
    ] = False
    apply: Annotated[Count | None, describe_field("Number of the fix to apply.", "N")] = None


def perform_check(caller: Caller, request: CheckRequest) -> Reply:
    """Run the gates."""
    if request.staged:
        return _check_staged(caller, request)
    if request.only:
        raise BadCall(
            "invalid_args", f"{arg('only')} works only on staged changes", f"give {arg('staged')} as well"
        )
    here = request.tx == CHECKOUT
    if request.apply is not None:
        return _apply_fix(caller, request, request.apply)
    if request.fixes:
        return _list_fixes(caller, request)
    result = (
        caller.snapshots.check_checkout(fresh=request.fresh)
        if here
        else caller.require_transaction(request).check(fresh=request.fresh)
    )
    lines = [gate_line(gate) for gate in result.facts.gates]
    text = "\n".join(lines + (risk_lines(result.facts.risk) if result.facts.risk else []))
    then = () if here else (action("land", tx=result.tx),)
    return Reply(result.answer(), plain_text(text), result.said, then, result=result)


def _apply_fix(caller: Caller, request: CheckRequest, number: int) -> Reply:
    """Apply one of the offered fixes."""
    if request.tx == CHECKOUT:
        return reply.result_reply(caller.edits.take_fix_in_checkout(number, fresh=request.fresh))
    return reply.result_reply(caller.require_transaction(request).take_fix(number, fresh=request.fresh))


def _list_fixes(caller: Caller, request: CheckRequest) -> Reply:
    """List new diagnostics with the fixes that are offered for them."""
    if request.tx == CHECKOUT:
        found = caller.snapshots.fixes_of_checkout(fresh=request.fresh)
    else:
        found = caller.require_transaction(request).fixes(fresh=request.fresh)
    lines = []
    for row in found.diagnostics:
        lines.append(
            f"{quote_for_line(row.path)}:{row.line}:{row.column}: {row.severity}: {row.message} [{row.by}]"
        )
        for fix in row.fixes:
            lines.append(f"  {fix.n}. {fix.title}" + ("" if fix.is_safe else " (unsafe)"))
            lines += [
                f"     {line}"
                for line in fix.diff.splitlines()
                if line[:1] in "+-" and line[:3] not in _FILES
            ]
        lines += [] if row.fixes else ["  no fix is offered"]
    lines += [f"unchecked: {words}" for words in found.unchecked]
    return Reply(found, plain_text("\n".join(lines) or "nothing new is wrong, as far as anybody was asked"))


def _check_staged(caller: Caller, request: CheckRequest) -> Reply:
    if request.tx or request.fresh or request.fixes or request.apply:
        words = f"{arg('staged')} can only be combined with {arg('only')}"
        raise BadCall(
            "invalid_args",
            words,
            "leave out the other arguments: this check uses no transaction and runs no command",
        )
    try:
        return passed_reply(caller.snapshots.check_staged(only=request.only))
    except GateRefused as error:
        return rejected_reply(error)


def passed_reply(done: Judged) -> Reply:
    """Return the reply for a change that passed its gates."""
    lines = [gate_line(gate) for gate in done.gates]
    found = [{"gate": gate.name, **_finding_data(each)} for gate in done.gates for each in gate.findings]
    text = "\n".join([*lines, *finding_lines(found), *(f"unchecked: {words}" for words in done.unchecked)])
    return Reply(done, plain_text(text or "nothing is to be judged"))


def gate_line(gate: GateRow) -> str:
    """Return the result of a gate, with the rules that it checked, or the reason why it was skipped."""
    details = gate.rules or (gate.notes if gate.status == "skipped" else ()) or ()
    return f"{gate.name}: {gate.status}" + (f" ({', '.join(details)})" if details else "")


def rejected_reply(error: GateRefused) -> Reply:
    """Return the reply for rejected changes: one line for each finding, as compilers print them."""
    found = finding_lines(error.data["findings"])

    def words(spelling: Spelling) -> ReplyText:
        return ReplyText("\n".join([*found, f"hint: {error.told(spelling)[1]}"]), complete=True)

    return Reply(None, words, wrong=error)


def finding_lines(found: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a line for each finding."""
    return [
        f"{row['path']}:{row['line']}:{row['column']}: "
        f"{'' if row['severity'] == 'error' else 'warning: '}{row['message']} [{row['gate']}]"
        f"{' in ' + row['commit'] if 'commit' in row else ''}"
        for row in found
    ]


def _finding_data(found: Any) -> dict[str, Any]:
    return {name: getattr(found, name) for name in found.__struct_fields__}


_CALIBRATE = "calibrate"


class RiskRequest(CommandRequest, frozen=True, kw_only=True):
    """Transaction whose risk to explain, or ``calibrate``."""

    examples = ("7k3m", "calibrate")

    subject: Annotated[
        str | None,
        describe_field(
            "Transaction ID; or calibrate, to fit the weights to the reverted changes of the history.",
            "ID | calibrate",
            place=True,
        ),
    ] = None
    onto: Onto = None


class ExplainedRisk(AnswersRisk, frozen=True, kw_only=True):
    """Risk of the transaction ``tx``."""

    tx: str


class CommitCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Number of commits, and of those that were reverted."""

    commits: int
    taken_back: int


class ThresholdRow(msgspec.Struct, frozen=True, kw_only=True):
    """Number of held-out commits that a score would have blocked, and of those that were reverted."""

    score: float
    stopped: int
    taken_back: int


class CalibrationAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Result of fitting the risk weights to the history of a branch.

    Attributes:
        branch: name of the branch.
        learnt_from: older commits, used for fitting.
        held_out: newer commits, used for evaluation.
        base_rate: share of reverted commits, from 0 to 1.
        kept: factors that the log has no data for; their weights stay.
        why_not: reason why no weights were fitted.
        auc: area under the ROC curve on the newer commits.
        error: standard error of ``auc``.
        before: area under the ROC curve with the current weights.
        weights: fitted weights, for ``[risk]``.
        thresholds: effect of scores on the newer commits.
        toml: fitted weights as TOML.
    """

    branch: str
    learnt_from: CommitCounts
    held_out: CommitCounts
    base_rate: float
    kept: tuple[str, ...]
    why_not: str | UnsetType = UNSET
    auc: float | UnsetType = UNSET
    error: float | UnsetType = UNSET
    before: float | UnsetType = UNSET
    weights: dict[str, float] | UnsetType = UNSET
    thresholds: tuple[ThresholdRow, ...] | UnsetType = UNSET
    toml: str | UnsetType = UNSET


RiskAnswer = ExplainedRisk | CalibrationAnswer


def perform_risk(caller: Caller, request: RiskRequest) -> Reply:
    """Explain the risk of a transaction, or fit the weights."""
    if request.subject == _CALIBRATE:
        found = caller.maintenance.calibrate(request.onto)
        return Reply(_calibration_answer(found), plain_text("\n".join(_calibration_lines(found))))
    tx = caller.require_transaction(TransactionRequest(tx=request.subject))
    risk = tx.risk
    text = "\n".join([tx.id, *risk_lines(risk, every=True)])
    return Reply(ExplainedRisk(tx=tx.id, **msgspec.structs.asdict(risk)), plain_text(text))


def _calibration_answer(found: Calibration) -> CalibrationAnswer:
    told = msgspec.to_builtins(found)
    known = {name: value for name, value in told.items() if value not in (None, "", {}, [])}
    toml = {"toml": "\n".join(_weights_toml(found))} if found.weights and not found.is_chance else {}
    return serialization.convert({**known, **toml}, CalibrationAnswer)


def _weights_toml(found: Calibration) -> list[str]:
    return ["[risk]", *(f"{name} = {weight:g}" for name, weight in found.weights.items())]


def _calibration_lines(found: Calibration) -> list[str]:
    old, new = found.learnt_from, found.held_out
    back, commits = old.taken_back + new.taken_back, old.commits + new.commits
    lines = [f"{found.branch}: {back} of {commits} commits were taken back ({found.base_rate:.2%})"]
    if found.why_not:
        return [*lines, f"too few to learn from: {found.why_not}", "the weights stay as they are"]
    return [*lines, *_evaluation_lines(found), *_advice_lines(found)]


def _evaluation_lines(found: Calibration) -> Iterator[str]:
    old, new = found.learnt_from, found.held_out
    yield f"learnt from the older {old.commits} ({old.taken_back} taken back),"
    yield f"tried on the newer {new.commits} ({new.taken_back} taken back):"
    area = f"{found.auc:.3f}, give or take {2 * (found.error or 0):.3f}"
    yield f"  AUC {area}; {found.before:.3f} with the weights as they are (0.5 is chance)"
    for row in found.thresholds:
        yield f"  a score of {row.score:g} or more: {row.stopped} commits, {row.taken_back} taken back"


def _advice_lines(found: Calibration) -> Iterator[str]:
    if found.is_chance:
        yield "that cannot be told from chance: the weights stay as they are"
        return
    yield f"not learnt, since the log does not tell them: {', '.join(found.kept)};"
    yield "where these add to it, scores are higher than those above"
    yield "for .gitscalpel.toml:"
    yield from _weights_toml(found)


class PolicyRequest(CommandRequest, frozen=True, kw_only=True):
    """Transaction to check, or path to explain."""

    examples = ("check 7k3m", "explain src/app.py")

    what: Annotated[Literal["check", "explain"], describe_field("Action.", place=True)]
    subject: Annotated[
        str | None, describe_field("Transaction ID, or path.", "ID | PATH", form="subject")
    ] = None
    onto: Onto = None


class RuleRow(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that applies to a path, and whether the path may change."""

    key: str
    says: str
    passes: bool


class ExplainedPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """The rules that apply to a path."""

    path: str
    may_change: bool
    rules: tuple[RuleRow, ...]


class PolicyFinding(msgspec.Struct, frozen=True, kw_only=True):
    """Finding of a rule."""

    path: str
    line: int
    message: str


class CheckedPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """Result of the policy for a transaction; ``rules`` are those that were checked."""

    tx: str
    status: str
    findings: tuple[PolicyFinding, ...]
    rules: tuple[str, ...] = ()


PolicyAnswer = ExplainedPolicy | CheckedPolicy


def perform_policy(caller: Caller, request: PolicyRequest) -> Reply:
    """Check a transaction against the policy, or explain the rules for a path."""
    return _explain_policy(caller, request) if request.what == "explain" else _check_policy(caller, request)


def _explain_policy(caller: Caller, request: PolicyRequest) -> Reply:
    repo, path = caller.maintenance, request.subject or ""
    found = repo.explain(path, request.onto)
    rules = tuple(RuleRow(key=key, says=words, passes=passes) for key, words, passes in found)
    answer = ExplainedPolicy(path=path, may_change=all(rule.passes for rule in rules), rules=rules)
    text = "\n".join(f"{'  ' if rule.passes else '! '}{rule.key}: {rule.says}" for rule in rules)
    unknown = bool(path) and not repo.knows(path, request.onto)
    note = remark(f"{path} does not exist on the target branch", severity="note")
    warnings = (note,) if unknown else ()
    return Reply(answer, plain_text(text or f"no rule is about {path}"), warnings)


def _check_policy(caller: Caller, request: PolicyRequest) -> Reply:
    tx = caller.require_transaction(TransactionRequest(tx=request.subject))
    row = tx.policy()
    places = tuple(PolicyFinding(path=f.path, line=f.line, message=f.message) for f in row.findings)
    lines = [f"  {place.path}:{place.line}: {place.message}" for place in places]
    answer = CheckedPolicy(tx=tx.id, status=row.status, findings=places, rules=row.rules or ())
    return Reply(answer, plain_text("\n".join([f"{tx.id}: {row.status}", *lines])))


class AuditRequest(CommandRequest, frozen=True, kw_only=True):
    """Verify or export the operation log."""

    examples = ("verify", "export")

    what: Annotated[Literal["verify", "export"], describe_field("Action.", place=True)]
    signers: Annotated[
        str | None,
        describe_field(
            "Allowed-signers file as for ssh-keygen, with the keys to accept (verify only).",
            "FILE",
            form="contents",
        ),
    ] = None


class AuditCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Number of operations, and of those signed with an accepted key."""

    steps: int
    signed: int | None


AuditAnswer = AuditCounts | list[dict[str, Any]]


def perform_audit(caller: Caller, request: AuditRequest) -> Reply:
    """Verify or export the operation log."""
    if request.what == "export":
        return _export_log(caller)
    signers = None if request.signers is None else request.signers.encode("utf-8", "surrogateescape")
    found = caller.maintenance.audit(signers)
    lines = [f"{fault.entry[:12]} {fault.tx}: {fault.says}" for fault in found.faults]
    if found.faults:
        raise Damaged(
            "corrupt",
            f"{len(found.faults)} of {found.steps} steps are damaged:\n" + "\n".join(lines),
            "`git log refs/scalpel/ops` lists the steps; `git show ENTRY:record.json` prints one",
            faults=[{"entry": each.entry, "tx": each.tx, "says": each.says} for each in found.faults],
        )
    signed = f", {found.signed} of them signed" if signers is not None else ""
    answer = AuditCounts(steps=found.steps, signed=found.signed if signers is not None else None)
    return Reply(answer, plain_text(f"{found.steps} steps{signed}: each stands on the one before"))


def _export_log(caller: Caller) -> Reply:
    import json

    rows = list(caller.maintenance.audit_rows())

    def words(_: Spelling) -> ReplyText:
        return ReplyText("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), verbatim=True)

    return Reply(rows, words)
