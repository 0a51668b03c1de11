"""Show what a transaction changes, as a patch."""

from __future__ import annotations

from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.id(parser)
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        result = output.chosen(repo, given).result
    following = [f"git scalpel land {result.tx}"]
    output.answer(
        "diff", result.data(), "", given.json, diff=result.patch.diff, page=True, following=following
    )
