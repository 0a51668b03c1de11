"""Find and replace text in a file, or in several: all of them, or none."""

from __future__ import annotations

from typing import Any

from gitscalpel import changeset
from gitscalpel.cli import edit, options, output, places, target
from gitscalpel.cli.parser import Given, Parser

_SHORT = 24
"""Characters of what a commit's subject quotes."""


def arguments(parser: Parser) -> None:
    parser.add_argument(
        "paths", metavar="PATH", nargs="+", help="The file; or several, and patterns such as 'src/**/*.py'."
    )
    parser.add_argument("--old", metavar="TEXT", required=True, help="The text to find; it must be unique.")
    parser.add_argument("--new", metavar="TEXT", required=True, help="What takes its place.")
    parser.add_argument("--all", action="store_true", help="Replace every occurrence.")
    parser.add_argument("--regex", action="store_true", help="--old is a regular expression of Python.")
    parser.add_argument(
        "--count", metavar="N", type=int, help="How many occurrences there must be, in all files."
    )
    parser.add_argument(
        "--occurrence",
        metavar="N",
        type=int,
        action="append",
        help="Which one to replace, from 0; may be repeated.",
    )
    options.edit(parser)


def command(given: Given) -> None:
    if len(given.paths) == 1 and not places.WILD.intersection(given.paths[0]):
        _in_one(given)
        return
    with output.opened() as repo:
        view, paths = output.place(repo, given), [target.from_root(path, repo) for path in given.paths]
        one = len(paths) == 1 and places.is_file(view, paths[0])  # it may be called app/[id]/page.tsx
        found = {} if one else places.holding(paths, view, given)
    if one:
        _in_one(given)
        return
    given.count = None  # of all files, which has been held against them
    ops = [{"op": "text", **_operation(given, path)} for path in found]
    total = f"{_counted(sum(found.values()), 'place')} in {_counted(len(found), 'file')}"
    message = given.message or f"{_words(given)} in {_counted(len(found), 'file')}"
    edit.whole("text", given, lambda _: changeset(*ops, message=message), note=total)


def _in_one(given: Given) -> None:
    given.path = given.paths[0]
    edit.one("text", given, lambda repo: _operation(given, target.from_root(given.path, repo)))


def _words(given: Given) -> str:
    """What is done, for a commit's subject."""
    short = all(len(text) <= _SHORT and text.isprintable() for text in (given.old, given.new))
    return f"Replace {given.old!r} by {given.new!r}" if short else "Replace text"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _operation(given: Given, path: str) -> dict[str, Any]:
    fields = {
        "path": path,
        "old": given.old,
        "new": given.new,
        "all": given.all,
        "regex": given.regex,
        "count": given.count,
        "occurrences": given.occurrence,
    }
    return {name: value for name, value in fields.items() if value is not None}
