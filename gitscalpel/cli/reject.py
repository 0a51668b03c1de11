"""Say no to an open transaction: it does not land until it has changed, or you approve it after all."""

from __future__ import annotations

from gitscalpel.cli import decision, options
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.id(parser)
    parser.add_argument("-m", "--message", metavar="TEXT", default="", help="Why; it has to be said.")
    options.json(parser)


def command(given: Given) -> None:
    decision.command("reject", given)
