"""Replace only the header of a definition; its body and documentation stay."""

from __future__ import annotations

from gitscalpel.cli import edit, options, target
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.target(parser)
    options.text(parser, "code", "The new header")
    options.edit(parser)


def command(given: Given) -> None:
    edit.one("signature", given, lambda repo: {**target.read(given, repo), "code": edit.text_from(given)})
