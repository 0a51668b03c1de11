"""Give an open transaction up."""

from __future__ import annotations

from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.id(parser)
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        result = output.chosen(repo, given).drop()
    kept = f"its commit {str(result.head)[:12]} is kept as refs/scalpel/keep/{result.tx}"
    output.answer("drop", result.data(), f"dropped {result.tx}; {kept}", given.json)
