"""Give an open transaction up."""

from __future__ import annotations

from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.id(parser)
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        result = repo.drop(output.chosen_id(repo, given))
    kept = f"; its commit {result.head[:12]} is kept as refs/scalpel/keep/{result.tx}" if result.head else ""
    output.answer("drop", result.data(), f"dropped {result.tx}{kept}", given.json)
