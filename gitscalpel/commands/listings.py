"""Commands list, status and show-tx.

``list`` shows the open transactions, oldest first, with the gates that have not passed yet. ``status`` also
shows the branch and whether recovery is needed. ``show-tx`` shows one open or closed transaction.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.api import Result, ScalpelError
from gitscalpel.changesets.answers import Edited, Risk, message_subject
from gitscalpel.commands import approvals, checks, reply
from gitscalpel.commands.approvals import ApprovalStatus
from gitscalpel.commands.checks import gate_line
from gitscalpel.commands.reply import (
    Caller,
    CommandRequest,
    ListMentions,
    Reply,
    ReplyText,
    TransactionRequest,
    describe_field,
    plain_text,
)
from gitscalpel.errors.messages import Spelling, action, call
from gitscalpel.server import client

if TYPE_CHECKING:
    from gitscalpel.api.transaction import Transactions


class GateStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Status of a gate in one word."""

    name: str
    status: str


class TransactionRow(msgspec.Struct, frozen=True, kw_only=True):
    """An open transaction.

    Attributes:
        tx, state, target, message, base, head: the fields of the same names in the answer of an edit.
        paths: changed files.
        worktree: leased worktree.
        gates: results of the gates that ran.
        unchecked: missing checks, with reasons.
        approval: approval status, if approval is required.
        risk: risk, if requested or recorded.
        answers: transaction that this one is a suggestion for.
    """

    tx: str | None
    state: str
    target: str
    message: str
    base: str | None
    head: str | None
    paths: tuple[str, ...]
    worktree: str | None
    gates: tuple[GateStatus, ...] | UnsetType = UNSET
    unchecked: tuple[str, ...] | UnsetType = UNSET
    approval: ApprovalStatus | UnsetType = UNSET
    risk: Risk | UnsetType = UNSET
    answers: str | UnsetType = UNSET


def transaction_row(result: Result) -> TransactionRow:
    """Return an open transaction as data."""
    return TransactionRow(
        tx=result.tx,
        state=result.state,
        target=result.target,
        message=result.message,
        base=result.base,
        head=result.head,
        paths=tuple(file.path for file in result.patch.rows),
        worktree=result.worktree,
        answers=result.answers or UNSET,
    )


def transaction_line(result: Result) -> str:
    """Return an open transaction as a line of text."""
    where = f"  in {result.worktree}" if result.worktree else ""
    where += f"  (suggested for {result.answers})" if result.answers else ""
    subject = message_subject(result.message) or "(empty)"
    return f"{result.tx}  {state_word(result)}  {result.target}  {subject}{_gate_count(result)}{where}"


def state_word(result: Result) -> str:
    """Return the state of a transaction for people: one that its gates have passed is still open."""
    return "open" if result.state == "checked" else result.state


def _gate_count(result: Result) -> str:
    """Return how many gates of a transaction have passed, such as "  (2 of 3 gates passed)"."""
    ran = [gate for gate in result.facts.gates if gate.status != "skipped"] if result.files else []
    waiting = result.pending.keys() - {gate.name for gate in ran}
    passed = sum(gate.status in ("passed", "cached") for gate in ran)
    total = len(ran) + len(waiting)
    return f"  ({passed} of {total} gate{'s' * (total != 1)} passed)" if total else ""


class ListRequest(CommandRequest, frozen=True, kw_only=True):
    """Details to list."""

    examples = ("", "--risk --json")

    risk: Annotated[bool, describe_field("Show the risk score of each transaction.")] = False


class ListAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The open transactions."""

    transactions: tuple[TransactionRow, ...]


def perform_list(caller: Caller, request: ListRequest) -> Reply:
    """List the open transactions."""
    found = [
        (result, *_add_checks(caller.transactions, result, caller.spelling))
        for result in caller.history.status().transactions
    ]
    found = [
        (result, *_add_risk(caller.transactions, row, words, request.risk)) for result, row, words in found
    ]
    lines = [each for result, _, words in found for each in (transaction_line(result), *words)]
    rows = tuple(row for _, row, _ in found)
    return Reply(ListAnswer(transactions=rows), plain_text("\n".join(lines) or "no open transactions"))


def _add_risk(
    repo: Transactions, row: TransactionRow, words: list[str], is_requested: bool
) -> tuple[TransactionRow, list[str]]:
    """Add the risk if it is recorded, or compute it if ``is_requested``."""
    if is_requested and row.paths:
        row = msgspec.structs.replace(row, risk=repo.transaction(str(row.tx)).risk)
    if row.risk is UNSET:
        return row, words
    return row, [*words, *(checks.risk_lines(row.risk) if is_requested else checks.risk_lines(row.risk)[:1])]


def _add_checks(repo: Transactions, result: Result, spelling: Spelling) -> tuple[TransactionRow, list[str]]:
    """Return the gate results and the approval status of a transaction, as data and as text."""
    gates = tuple(GateStatus(name=gate.name, status=gate.status) for gate in result.facts.gates)
    row = msgspec.structs.replace(transaction_row(result), gates=gates, unchecked=result.facts.unchecked)
    row = msgspec.structs.replace(row, risk=result.facts.risk)
    if not result.files:
        return row, []
    failed = [f"  {gate.name}: failed" for gate in gates if gate.status == "failed"]
    open_gates = {name: words for name, words in result.pending.items() if name != "approval"}
    waiting = [f"  {words}" for words in chain.from_iterable(open_gates.values())]
    waiting += _count_warnings(result, spelling)
    try:
        standing = repo.transaction(str(result.tx)).standing
    except ScalpelError as error:  # an invalid configuration must not break the list
        return row, [*failed, *waiting, f"  {error.code}: {error.told(spelling)[0]}"]
    if standing.needed.why or standing.decisions:
        row = msgspec.structs.replace(row, approval=approvals.approval_data(standing))
    return row, [*failed, *waiting, *approvals.approval_lines(standing)]


def _count_warnings(result: Result, spelling: Spelling) -> list[str]:
    if not result.said:
        return []
    from gitscalpel.commands.findings import result_findings  # most transactions have none

    count = sum(each.severity == "warning" for each in result_findings(result).rows)
    shown = spelling.call(action("show-tx", tx=result.tx))
    return [f"  {count} warning{'s' * (count > 1)}: {shown}"] if count else []


_KILLED = f"a command was interrupted; {call('recover')} heals what it left (so does the next edit)"

_UNTRUSTED = (
    "recovery: untrusted: .git/scalpel says that a command was interrupted, and you have not written that; "
    f"nothing follows it, and {call('recover')} sets it aside"
)


class StatusRequest(CommandRequest, frozen=True, kw_only=True):
    """No arguments."""

    examples = ("", "--json")


class StatusAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """State of the repository; ``recovery`` is ``none``, ``pending`` or ``untrusted``.

    ``server`` is the process id of the server behind the caller's command line.
    """

    branch: str | None
    tip: str | None
    transactions: tuple[TransactionRow, ...]
    recovery_pending: bool
    recovery: str
    server: int | None = None


def perform_status(caller: Caller, request: StatusRequest) -> Reply:
    """Show the state of the repository."""
    del request
    status = caller.history.status()
    at = status.tip[:12] if status.tip else "no commit yet"
    lines = [f"on {status.branch} at {at}" if status.branch else "no branch is checked out"]
    lines += [f"  {transaction_line(result)}" for result in status.transactions] or ["no open transactions"]
    answer = StatusAnswer(
        branch=status.branch,
        tip=status.tip,
        transactions=tuple(map(transaction_row, status.transactions)),
        recovery_pending=status.recovery_pending,
        recovery=status.recovery,
        server=client.find_server_pid(caller.typed.environment) if caller.typed is not None else None,
    )
    warnings = {"none": (), "pending": (_KILLED,), "untrusted": (_UNTRUSTED,)}[status.recovery]
    return Reply(answer, plain_text("\n".join(lines)), warnings)


class ShowTxRequest(TransactionRequest, frozen=True, kw_only=True):
    """Transaction to show."""

    examples = ("7k3m", "7k3m --list-mentions")

    list_mentions: ListMentions = False


class ShowTxAnswer(Edited, frozen=True, kw_only=True):
    """A transaction, with its approval status if approval is required."""

    approval: approvals.ApprovalStatus | UnsetType = UNSET


def perform_show_tx(caller: Caller, request: ShowTxRequest) -> Reply:
    """Show a transaction."""
    decided = None
    result = caller.history.lookup(caller.require_transaction_id(request))
    is_open = result.state in ("open", "checked")
    if is_open and result.files:
        tx = caller.transactions.transaction(str(result.tx))
        standing = tx.standing
        decided = standing if standing.needed.why or standing.decisions else None
        result = msgspec.structs.replace(result, facts=msgspec.structs.replace(result.facts, risk=tx.risk))
    answer = ShowTxAnswer(
        **msgspec.structs.asdict(result.answer()),
        approval=UNSET if decided is None else approvals.approval_data(decided),
    )
    said = [] if decided is None else approvals.approval_lines(decided)
    said += checks.risk_lines(result.facts.risk) if result.facts.risk else []
    return Reply(
        answer,
        lambda _: ReplyText(_transaction_text(result, said), result.patch.diff, page=True),
        result.said,
        result.next if is_open else (),
        result=result,
        list_mentions=request.list_mentions,
    )


def _transaction_text(result: Result, decided: list[str]) -> str:
    lines = [
        f"{result.tx}  {state_word(result)}  for {result.target}"
        + (f", suggested for {result.answers}" if result.answers else ""),
        *(f"    {line}" for line in result.message.splitlines()),
        *(f"  {row.kind} {row.symbol}" + (f" to {row.to}" if row.to else "") for row in result.facts.intents),
        *(f"  {gate_line(gate)}" for gate in result.facts.gates),
        *decided,
        *reply.file_lines(result),
    ]
    return "\n".join([*lines, "\n"] if result.files else [*lines, "  no changes"])
