"""Copy a file, with its folders."""

from __future__ import annotations

from gitscalpel.cli import edit, options, target
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.to(parser)
    options.edit(parser)


def command(given: Given) -> None:
    edit.one("cp", given, lambda repo: target.both(given, repo), op="copy_file")
