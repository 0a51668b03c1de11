"""List the open transactions, the oldest first."""

from __future__ import annotations

from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser
from gitscalpel.cli.status import line, row


def arguments(parser: Parser) -> None:
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        found = repo.status().transactions
    text = "\n".join(map(line, found)) or "no open transactions"
    output.answer("list", {"transactions": [row(result) for result in found]}, text, given.json)
