"""Make the landing again that the last undo took back."""

from __future__ import annotations

from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser
from gitscalpel.cli.undo import tell


def arguments(parser: Parser) -> None:
    options.onto(parser)
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        step = repo.redo(onto=given.onto)
    tell("redo", step, given)
