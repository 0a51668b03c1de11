"""Copy a file or folder."""

from __future__ import annotations

from gitscalpel.cli import folder, options
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.to(parser)
    options.edit(parser)


def command(given: Given) -> None:
    folder.each("cp", given, "copy_file")
