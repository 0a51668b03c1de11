"""Commands approve, reject and review, and the approval status that other commands show.

``review`` serves a page on this machine until it is interrupted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.api import BadCall
from gitscalpel.commands.reply import (
    Caller,
    CommandRequest,
    Reply,
    TransactionRequest,
    describe_field,
    plain_text,
)
from gitscalpel.errors.messages import action

if TYPE_CHECKING:
    from gitscalpel.api import Standing


_PAST = {"approve": "approved", "reject": "rejected"}

Expect = Annotated[str, describe_field("Commit ID, or its start, that the transaction must have.", "COMMIT")]


class DecisionRow(msgspec.Struct, frozen=True, kw_only=True):
    """Approval or rejection of a transaction.

    Attributes:
        kind: ``approve`` or ``reject``.
        user: git identity of the person.
        time: seconds since 1970.
        counts: True if the decision counts.
        why_not: reason why the decision does not count.
        stage: stage of approval.
        agent: program that sent the decision for the person.
        confirmed: client that reports that the person confirmed the decision.
    """

    kind: str
    user: str
    time: int
    message: str
    counts: bool
    why_not: str
    stage: str | UnsetType = UNSET
    agent: str | UnsetType = UNSET
    confirmed: str | UnsetType = UNSET


class StageRow(msgspec.Struct, frozen=True, kw_only=True):
    """A stage of approval: the reasons for it, and the number of missing approvals."""

    name: str
    needed: tuple[str, ...]
    missing: int


class ApprovalStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Approval status of a transaction.

    Attributes:
        tx: id of the transaction.
        needed: reasons why approval is required.
        missing: number of missing approvals in all stages.
        decisions: approvals and rejections so far.
        stages: stages to pass, in order, if there are several.
        waiting: stage that needs the next approval, or null.
    """

    tx: str | UnsetType = UNSET
    needed: tuple[str, ...]
    missing: int
    decisions: tuple[DecisionRow, ...]
    stages: tuple[StageRow, ...] | UnsetType = UNSET
    waiting: str | UnsetType | None = UNSET


def decision_reply(tx: str, verb: str, standing: Standing) -> Reply:
    """Return the reply for a decision, with the new approval status."""
    text = "\n".join([f"{_PAST[verb]} {tx}", *approval_lines(standing)])
    following = () if standing.missing or standing.rejected else (action("land", tx=tx),)
    return Reply(msgspec.structs.replace(approval_data(standing), tx=tx), plain_text(text), next=following)


def approval_data(standing: Standing) -> ApprovalStatus:
    """Return the approval status as data."""
    decisions = tuple(
        DecisionRow(
            kind=each.kind,
            user=each.user,
            time=each.time,
            message=each.message,
            counts=each.counts,
            why_not=each.why_not,
            stage=each.stage or UNSET,
            agent=each.agent or UNSET,
            confirmed=each.confirmed or UNSET,
        )
        for each in standing.decisions
    )
    answer = ApprovalStatus(needed=tuple(standing.needed.why), missing=standing.missing, decisions=decisions)
    if not any(stage.name for stage in standing.stages):
        return answer
    rows = tuple(
        StageRow(name=stage.name, needed=stage.needed.why, missing=stage.missing)
        for stage in standing.stages
        if stage.needed.why
    )
    waiting = standing.waiting
    return msgspec.structs.replace(answer, stages=rows, waiting=waiting.name if waiting else None)


def approval_lines(standing: Standing) -> list[str]:
    """Return the approval status as lines of text."""
    lines = [
        f"  {_PAST[each.kind]}{_stage_suffix(each.stage)} by {each.by}"
        + f"{': ' * bool(each.message)}{each.message}"
        + (f" (not counted: {each.why_not})" if not each.counts else "")
        for each in standing.decisions
    ]
    waiting = [stage for stage in standing.stages if stage.missing]
    for number, stage in enumerate(waiting):
        after = f", after stage {waiting[0].name}" if number else ""
        reasons = ", ".join(stage.needed.why)
        lines.append(f"  needs {stage.missing} more{_stage_suffix(stage.name)} for {reasons}{after}")
    return lines


def _stage_suffix(stage: str) -> str:
    return f" in stage {stage}" if stage else ""


ApproveAnswer = ApprovalStatus


class ApproveRequest(TransactionRequest, frozen=True, kw_only=True):
    """Approval of a transaction."""

    examples = ("7k3m -m 'Read it'", "7k3m --stage security")

    message: Annotated[str, describe_field("Comment.", "TEXT", short="-m", form="paragraphs")] = ""
    expect: Expect = ""
    stage: Annotated[str | None, describe_field("Approval stage (default: the pending stage).", "NAME")] = (
        None
    )


def perform_approve(caller: Caller, request: ApproveRequest) -> Reply:
    """Approve a transaction."""
    tx = caller.require_transaction(request)
    return decision_reply(tx.id, "approve", tx.approve(request.message, request.expect, request.stage))


RejectAnswer = ApprovalStatus


class RejectRequest(TransactionRequest, frozen=True, kw_only=True):
    """Rejection of a transaction."""

    examples = ("7k3m -m 'No test'", "7k3m -m 'The name is taken' --json")

    message: Annotated[str, describe_field("Reason (required).", "TEXT", short="-m", form="paragraphs")] = ""
    expect: Expect = ""


def perform_reject(caller: Caller, request: RejectRequest) -> Reply:
    """Reject a transaction."""
    tx = caller.require_transaction(request)
    return decision_reply(tx.id, "reject", tx.reject(request.message, request.expect))


class ReviewRequest(CommandRequest, frozen=True, kw_only=True):
    """Options of the review server."""

    examples = ("", "--port 8000")

    port: Annotated[int, describe_field("Port (default: a free port).", "PORT")] = 0


class ReviewAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """State after the server was interrupted."""

    state: str


def perform_review(caller: Caller, request: ReviewRequest) -> Reply:
    """Serve the review page until interrupted."""
    root = caller.repo.here
    if root is None:
        raise BadCall(
            "invalid_args", "the repository is bare", "run the command in a clone with a working tree"
        )
    caller.shell.serve_review(root, request.port)
    return Reply(ReviewAnswer(state="ended"), plain_text(""))
