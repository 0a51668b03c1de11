"""List the open transactions, the oldest first, with what is still to be asked before they land."""

from __future__ import annotations

from typing import Any

from gitscalpel import Repository, Result, ScalpelError
from gitscalpel.cli import decision, options, output
from gitscalpel.cli.parser import Given, Parser
from gitscalpel.cli.status import line, row


def arguments(parser: Parser) -> None:
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        found = [(result, *_asked(repo, result)) for result in repo.status().transactions]
    lines = [each for result, _, words in found for each in (line(result), *words)]
    rows = [{**row(result), **more} for result, more, _ in found]
    output.answer("list", {"transactions": rows}, "\n".join(lines) or "no open transactions", given.json)


def _asked(repo: Repository, result: Result) -> tuple[dict[str, Any], list[str]]:
    """Which gates have been asked, which have not, and who has to agree: as data, and in words."""
    data: dict[str, Any] = {
        "gates": [{"name": gate.name, "status": gate.status} for gate in result.facts.gates],
        "unchecked": list(result.facts.unchecked),
    }
    if not result.files:
        return data, []
    failed = [f"  {gate.name}: failed" for gate in result.facts.gates if gate.status == "failed"]
    waiting = [f"  {words}" for words in result.facts.unchecked]
    try:
        standing = repo.transaction(str(result.tx)).standing
    except ScalpelError as error:  # a configuration that cannot be read stops the landing, not the list
        return data, [*failed, *waiting, f"  {error.code}: {error.message}"]
    if standing.needed.why or standing.decisions:
        data["approval"] = decision.rows(standing)
    return data, [*failed, *waiting, *decision.words(standing)]
