"""Say no to an open transaction: it does not land until it has changed, or you approve it after all."""

from __future__ import annotations

from gitscalpel.cli import decision
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    decision.arguments(parser, "Why; it has to be said.")


def command(given: Given) -> None:
    decision.command("reject", given)
