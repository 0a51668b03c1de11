"""Land an open transaction on its branch, and bring the checkout along."""

from __future__ import annotations

from gitscalpel import Repository
from gitscalpel.cli import edit, options
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.id(parser)
    options.message(parser)
    options.json(parser)


def command(given: Given) -> None:
    with Repository() as repo:
        result = repo.transaction(given.tx).land(given.message)
    edit.tell("land", result, given)
