"""Remove a definition, a selector's match or a line range."""

from __future__ import annotations

from gitscalpel.cli import edit, options, target
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.target(parser)
    parser.add_argument("--safe", action="store_true", help="Refuse while the name is still used.")
    parser.add_argument("--fill", help="What takes the place of a block's last statement: pass.")
    options.edit(parser)


def command(given: Given) -> None:
    edit.one(
        "delete",
        given,
        lambda repo: {**target.read(given, repo), "safe": given.safe, "fill": given.fill},
    )
