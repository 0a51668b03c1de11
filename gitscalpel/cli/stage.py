"""Take in what was edited and committed by hand in a transaction's worktree."""

from __future__ import annotations

from gitscalpel.cli import edit, options, output
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.id(parser)
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        result = output.chosen(repo, given).stage()
    edit.tell("stage", result, given)
