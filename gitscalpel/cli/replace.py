"""Replace a definition, a selector's match or a line range by new code."""

from __future__ import annotations

from gitscalpel.cli import edit, options, target
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.target(parser)
    options.text(parser, "code", "The new code")
    parser.add_argument(
        "--lead",
        choices=("auto", "keep", "drop"),
        default="auto",
        help="What becomes of comments, decorators and export.",
    )
    options.edit(parser)


def command(given: Given) -> None:
    edit.one(
        "replace",
        given,
        lambda repo: {
            **target.read(given, repo),
            "code": edit.text_from(given),
            "lead": given.lead,
        },
    )
