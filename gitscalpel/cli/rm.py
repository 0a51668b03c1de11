"""Remove a file, or a folder with all its files."""

from __future__ import annotations

from gitscalpel.cli import folder, options
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.path(parser, "The file or folder to remove.")
    options.edit(parser)


def command(given: Given) -> None:
    folder.each("rm", given, "remove")
