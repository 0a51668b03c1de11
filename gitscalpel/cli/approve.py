"""Agree to an open transaction as it is, so that it may land where somebody has to."""

from __future__ import annotations

from gitscalpel.cli import decision, options
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.id(parser)
    parser.add_argument("-m", "--message", metavar="TEXT", default="", help="What to note.")
    options.json(parser)


def command(given: Given) -> None:
    decision.command("approve", given)
