"""Replace, insert at or delete lines: PATH:42, PATH:42-55, with or without line hashes."""

from __future__ import annotations

from gitscalpel import BadCall
from gitscalpel.cli import edit, options, target
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    parser.add_argument("where", metavar="PATH:LINES", help="For example app.py:42-55.")
    options.text(parser, "code", "The new lines")
    parser.add_argument("--before", action="store_true", help="Insert before the first of these lines.")
    parser.add_argument("--after", action="store_true", help="Insert after the last of these lines.")
    parser.add_argument("--delete", action="store_true", help="Delete these lines.")
    parser.add_argument("--verbatim", action="store_true", help="Write the code as it comes.")
    parser.add_argument("--relocate", action="store_true", help="Follow a line that moved, by its hash.")
    options.edit(parser)


def command(given: Given) -> None:
    if target.lines(given.where) is None:
        raise BadCall(
            "invalid_args",
            f"{given.where} names no lines",
            f"give PATH:LINES, such as {given.where.partition('::')[0]}:42-55",
        )
    chosen = [name for name in ("before", "after", "delete") if getattr(given, name)]
    if len(chosen) > 1:
        raise BadCall(
            "invalid_position", f"--{' and --'.join(chosen)} exclude each other", "give one of them"
        )
    edit.one(
        "lines",
        given,
        lambda repo: {
            **target.read(given, repo),
            "code": "" if given.delete else edit.text_from(given),
            "position": chosen[0] if chosen and not given.delete else None,
            "verbatim": given.verbatim,
            "relocate": given.relocate,
        },
    )
