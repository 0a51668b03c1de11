"""Land an open transaction on its branch, and bring the checkout along."""

from __future__ import annotations

from gitscalpel.cli import edit, options, output
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.id(parser)
    options.message(parser)
    options.wait(parser)
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        result = output.chosen(repo, given).land(given.message, wait=given.wait)
    edit.tell("land", result, given)
