"""Move a file, with its folders; what imports it is left as it is."""

from __future__ import annotations

from gitscalpel.cli import edit, options, target
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.to(parser)
    options.edit(parser)


def command(given: Given) -> None:
    edit.one("mv", given, lambda repo: target.both(given, repo), op="move_file")
