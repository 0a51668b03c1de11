"""Open a transaction; edits with --tx go into it until it lands or is dropped."""

from __future__ import annotations

from gitscalpel import Repository
from gitscalpel.cli import options, output
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.message(parser)
    options.onto(parser)
    options.json(parser)


def command(given: Given) -> None:
    with Repository() as repo:
        result = repo.begin(given.message, onto=given.onto).result
    text = f"began {result.tx} for {result.target}\nedit in it with: --tx {result.tx}"
    following = [f"git scalpel land {result.tx}", f"git scalpel drop {result.tx}"]
    output.answer("begin", result.data(), text, given.json, following=following)
