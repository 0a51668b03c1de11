"""Remove a file."""

from __future__ import annotations

from gitscalpel.cli import edit, options, target
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.path(parser, "The file to remove.")
    options.edit(parser)


def command(given: Given) -> None:
    edit.one("rm", given, lambda repo: {"path": target.from_root(given.path, repo)}, op="remove")
