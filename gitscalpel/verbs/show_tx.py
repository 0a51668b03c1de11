"""A transaction, open or closed: its state, what was done, what changed."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.api import Result
from gitscalpel.changesets.answers import Edited
from gitscalpel.verbs import decision, editing, risks
from gitscalpel.verbs.asked import Named
from gitscalpel.verbs.check import gate_line
from gitscalpel.verbs.reply import Caller, Reply, Words


class Request(Named, frozen=True, kw_only=True):
    """Which one."""


class Answer(Edited, frozen=True, kw_only=True):
    """The transaction, and who has to agree to it, where anybody has to."""

    approval: decision.Approval | UnsetType = UNSET


def perform(caller: Caller, asked: Request) -> Reply:
    """Show it."""
    repo, decided = caller.repo, None
    result = repo.lookup(caller.named(asked))
    is_open = result.state in ("open", "checked")
    if is_open and result.files:
        tx = repo.transaction(str(result.tx))
        standing = tx.standing
        decided = standing if standing.needed.why or standing.decisions else None
        result = msgspec.structs.replace(result, facts=msgspec.structs.replace(result.facts, risk=tx.risk))
    answer = Answer(
        **msgspec.structs.asdict(result.answer()),
        approval=UNSET if decided is None else decision.approval(decided),
    )
    said = [] if decided is None else decision.words(decided)
    said += risks.words(result.facts.risk) if result.facts.risk else []
    return Reply(
        answer,
        lambda _: Words(_text(result, said), result.patch.diff, page=True),
        next=result.next if is_open else (),
    )


def _text(result: Result, decided: list[str]) -> str:
    lines = [
        f"{result.tx}  {result.state}  for {result.target}"
        + (f", suggested for {result.answers}" if result.answers else ""),
        *(f"    {line}" for line in result.message.splitlines()),
        *(f"  {row.kind} {row.symbol}" + (f" to {row.to}" if row.to else "") for row in result.facts.intents),
        *(f"  {gate_line(gate)}" for gate in result.facts.gates),
        *decided,
        *editing.files(result),
    ]
    return "\n".join([*lines, "\n"] if result.files else [*lines, "  no changes"])
