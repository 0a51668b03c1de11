"""Text is found and replaced in a file, or in several: all of them, or none."""

from __future__ import annotations

from typing import Annotated, Any

from gitscalpel.api import BadCall, changeset
from gitscalpel.errors.messages import arg
from gitscalpel.verbs import editing, places
from gitscalpel.verbs.asked import Editing, said
from gitscalpel.verbs.reply import Caller, Reply

Answer = editing.Answer

_SHORT = 24
"""Characters of what a commit's subject quotes."""


class Request(Editing, frozen=True, kw_only=True):
    """What to find, where, and what takes its place."""

    paths: Annotated[
        tuple[str, ...],
        said("The file; or several, and patterns such as 'src/**/*.py'.", "PATH", place=True, path=True),
    ]
    old: Annotated[str, said("The text to find; it must be unique.", "TEXT")]
    new: Annotated[str, said("What takes its place.", "TEXT")]
    all: Annotated[bool, said("Replace every occurrence.")] = False
    regex: Annotated[bool, said(f"{arg('old')} is a regular expression of Python.")] = False
    count: Annotated[int | None, said("How many occurrences there must be, in all files.", "N")] = None
    occurrences: Annotated[
        tuple[int, ...], said("Which one to replace, from 0; may be repeated.", "N", typed="occurrence")
    ] = ()


def perform(caller: Caller, asked: Request) -> Reply:
    """Replace it."""
    first = asked.paths[0]
    if len(asked.paths) == 1 and not places.WILD.intersection(first):
        return editing.one(caller, asked, _operation(asked, first, asked.count))
    view = caller.place(asked)
    if len(asked.paths) == 1 and places.is_file(view, first):  # it may be called app/[id]/page.tsx
        return editing.one(caller, asked, _operation(asked, first, asked.count))
    if asked.occurrences or asked.expect or asked.base:
        words = f"{arg('occurrences')}, {arg('expect')} and {arg('base')} are about one file"
        raise BadCall("invalid_args", words, "leave them out, or name one file")
    found = places.holding(view, places.Wanted(asked.paths, asked.old, asked.regex, asked.count))
    # The count is of all files, and has been held against them: of each file so many are meant.
    is_counted = asked.count is not None and not asked.all
    ops = [_operation(asked, path, count if is_counted else None) for path, count in found.items()]
    total = f"{_counted(sum(found.values()), 'place')} in {_counted(len(found), 'file')}"
    message = asked.message or f"{_words(asked)} in {_counted(len(found), 'file')}"
    return editing.whole(caller, asked, changeset(*ops, message=message), note=total)


def _words(asked: Request) -> str:
    """What is done, for a commit's subject."""
    short = all(len(text) <= _SHORT and text.isprintable() for text in (asked.old, asked.new))
    return f"Replace {asked.old!r} by {asked.new!r}" if short else "Replace text"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _operation(asked: Request, path: str, count: int | None) -> dict[str, Any]:
    fields = ("old", "new", "all", "regex", "expect", "base")
    chosen = list(asked.occurrences) or None
    return editing.operation("text", fields, asked, path=path, count=count, occurrences=chosen)
