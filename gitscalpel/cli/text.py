"""Find and replace text in a file."""

from __future__ import annotations

from gitscalpel.cli import edit, options, target
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    options.path(parser, "The file.")
    parser.add_argument("--old", required=True, help="The text to find; it must be unique.")
    parser.add_argument("--new", required=True, help="What takes its place.")
    parser.add_argument("--all", action="store_true", help="Replace every occurrence.")
    parser.add_argument("--regex", action="store_true", help="--old is a regular expression of Python.")
    parser.add_argument("--count", metavar="N", type=int, help="How many occurrences there must be.")
    parser.add_argument(
        "--occurrence",
        metavar="N",
        type=int,
        action="append",
        help="Which one to replace, from 0; may be repeated.",
    )
    options.edit(parser)


def command(given: Given) -> None:
    edit.one(
        "text",
        given,
        lambda repo: {
            "path": target.from_root(given.path, repo),
            "old": given.old,
            "new": given.new,
            "all": given.all,
            "regex": given.regex,
            "count": given.count,
            "occurrences": given.occurrence,
        },
    )
