"""Move a file or folder; what imports it is left as it is."""

from __future__ import annotations

from gitscalpel.cli import folder, options
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.to(parser)
    options.edit(parser)


def command(given: Given) -> None:
    folder.each("mv", given, "move_file")
