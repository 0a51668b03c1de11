"""The open transactions, the oldest first, with what is still to be asked before they land."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gitscalpel import ScalpelError
from gitscalpel.phrases import Spelling
from gitscalpel.verbs import decision, listing
from gitscalpel.verbs.asked import Asked
from gitscalpel.verbs.reply import Caller, Reply, plain

if TYPE_CHECKING:
    from gitscalpel import Repository, Result


class Request(Asked, frozen=True, kw_only=True):
    """Nothing is asked."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The transactions."""

    transactions: tuple[listing.Row, ...]


def perform(caller: Caller, asked: Request) -> Reply:
    """List them."""
    del asked
    repo = caller.repo
    found = [(result, *_asked(repo, result, caller.spelling)) for result in repo.status().transactions]
    lines = [each for result, _, words in found for each in (listing.line(result), *words)]
    rows = tuple(row for _, row, _ in found)
    return Reply(Answer(transactions=rows), plain("\n".join(lines) or "no open transactions"))


def _asked(repo: Repository, result: Result, spelling: Spelling) -> tuple[listing.Row, list[str]]:
    """Which gates have been asked, which have not, and who has to agree: as data, and in words."""
    gates = tuple(listing.GateStatus(name=gate.name, status=gate.status) for gate in result.facts.gates)
    row = msgspec.structs.replace(listing.row(result), gates=gates, unchecked=result.facts.unchecked)
    if not result.files:
        return row, []
    failed = [f"  {gate.name}: failed" for gate in gates if gate.status == "failed"]
    waiting = [f"  {words}" for words in result.facts.unchecked]
    try:
        standing = repo.transaction(str(result.tx)).standing
    except ScalpelError as error:  # a configuration that cannot be read stops the landing, not the list
        return row, [*failed, *waiting, f"  {error.code}: {error.told(spelling)[0]}"]
    if standing.needed.why or standing.decisions:
        row = msgspec.structs.replace(row, approval=decision.approval(standing))
    return row, [*failed, *waiting, *decision.words(standing)]
