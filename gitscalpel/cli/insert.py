"""Insert code beside a definition, or as first or last child of its body, or of a whole file."""

from __future__ import annotations

from gitscalpel import BadCall
from gitscalpel.cli import edit, options, target
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.target(parser)
    parser.add_argument("--before", action="store_true", help="Above the target and its lead.")
    parser.add_argument("--after", action="store_true", help="Below the target (the default).")
    parser.add_argument(
        "--first",
        action="store_true",
        help="As first child of its body; of a PATH alone, at the top of the file.",
    )
    parser.add_argument(
        "--last", action="store_true", help="As last child of its body; of a PATH alone, at its end."
    )
    options.text(parser, "code", "The new code")
    options.edit(parser)


def command(given: Given) -> None:
    chosen = [name for name in ("before", "after", "first", "last") if getattr(given, name)]
    if len(chosen) > 1:
        raise BadCall(
            "invalid_position", f"--{' and --'.join(chosen)} exclude each other", "give one of them"
        )
    edit.one(
        "insert",
        given,
        lambda repo: {
            **target.read(given, repo),
            "position": chosen[0] if chosen else "after",
            "code": edit.text_from(given),
        },
    )
