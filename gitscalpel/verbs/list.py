"""The open transactions, the oldest first, with what is still to be asked before they land."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import UNSET

from gitscalpel.api import ScalpelError
from gitscalpel.errors.messages import Spelling
from gitscalpel.verbs import decision, listing
from gitscalpel.verbs.asked import Asked, said
from gitscalpel.verbs.reply import Caller, Reply, plain

if TYPE_CHECKING:
    from gitscalpel.api import Repository, Result


class Request(Asked, frozen=True, kw_only=True):
    """What to say of them."""

    risk: Annotated[bool, said("Say how risky each is, and why.")] = False


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The transactions."""

    transactions: tuple[listing.Row, ...]


def perform(caller: Caller, asked: Request) -> Reply:
    """List them."""
    repo = caller.repo
    found = [(result, *_asked(repo, result, caller.spelling)) for result in repo.status().transactions]
    found = [(result, *_risky(repo, row, words, asked.risk)) for result, row, words in found]
    lines = [each for result, _, words in found for each in (listing.line(result), *words)]
    rows = tuple(row for _, row, _ in found)
    return Reply(Answer(transactions=rows), plain("\n".join(lines) or "no open transactions"))


def _risky(
    repo: Repository, row: listing.Row, words: list[str], asked: bool
) -> tuple[listing.Row, list[str]]:
    """The same with how risky it is, as is on record, or as was ``asked`` for."""
    if asked and row.paths:
        row = msgspec.structs.replace(row, risk=repo.transaction(str(row.tx)).risk)
    if row.risk is UNSET:
        return row, words
    from gitscalpel.verbs import risks

    return row, [*words, *(risks.words(row.risk) if asked else risks.words(row.risk)[:1])]


def _asked(repo: Repository, result: Result, spelling: Spelling) -> tuple[listing.Row, list[str]]:
    """Which gates have been asked, which have not, and who has to agree: as data, and in words."""
    gates = tuple(listing.GateStatus(name=gate.name, status=gate.status) for gate in result.facts.gates)
    row = msgspec.structs.replace(listing.row(result), gates=gates, unchecked=result.facts.unchecked)
    row = msgspec.structs.replace(row, risk=result.facts.risk)
    if not result.files:
        return row, []
    failed = [f"  {gate.name}: failed" for gate in gates if gate.status == "failed"]
    waiting = [f"  {words}" for words in result.facts.unchecked]
    asking = {f"  {words}" for words in result.pending.get("approval", ())}
    try:
        standing = repo.transaction(str(result.tx)).standing
    except ScalpelError as error:  # a configuration that cannot be read stops the landing, not the list
        return row, [*failed, *waiting, f"  {error.code}: {error.told(spelling)[0]}"]
    if standing.needed.why or standing.decisions:
        row = msgspec.structs.replace(row, approval=decision.approval(standing))
    others = [line for line in waiting if line not in asking]  # who has to agree is told by the standing
    return row, [*failed, *others, *decision.words(standing)]
