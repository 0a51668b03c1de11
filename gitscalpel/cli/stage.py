"""Take in what was edited and committed by hand in a transaction's worktree."""

from __future__ import annotations

from gitscalpel.cli import edit, options, output
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.id(parser)
    options.message(parser)
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        tx = output.chosen(repo, given)
        result = tx.stage()
        if given.message:
            tx.reword(given.message)
    edit.tell("stage", result, given)
