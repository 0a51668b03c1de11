"""Agree to an open transaction as it is, so that it may land where somebody has to."""

from __future__ import annotations

from gitscalpel.cli import decision
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    decision.arguments(parser, "What to note.")


def command(given: Given) -> None:
    decision.command("approve", given)
