"""Show what a transaction changes, as a patch."""

from __future__ import annotations

from gitscalpel import Repository
from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.id(parser)
    options.json(parser)


def command(given: Given) -> None:
    with Repository() as repo:
        result = repo.transaction(given.tx).result
    following = [f"git scalpel land {result.tx}"]
    output.answer("diff", result.data(), result.patch.diff, given.json, following=following)
