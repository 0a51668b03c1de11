"""Lines are replaced, inserted or deleted, by their numbers, with or without line hashes."""

from __future__ import annotations

from typing import Annotated, Literal

from gitscalpel.api import Lines
from gitscalpel.verbs import editing
from gitscalpel.verbs.asked import Editing, Last, said
from gitscalpel.verbs.reply import Caller, Reply

Answer = editing.Answer

_PLACES = {
    "before": "Insert before the first of these lines.",
    "after": "Insert after the last of these lines.",
}


class Request(Editing, frozen=True, kw_only=True):
    """Which lines, and what becomes of them."""

    path: Annotated[str, said("The file.", form="lines")]
    start: Annotated[
        str | int, said("The first line, or lines such as 42-55 or 42:9f3c-55:01be.", form="none")
    ]
    end: Last = None
    code: Annotated[str, said("The new lines", form="text", unless="delete")] = ""
    position: Annotated[
        Literal["before", "after"] | None,
        said(
            "Where to insert; without it the lines are replaced.", form="flags", each=_PLACES, beside="delete"
        ),
    ] = None
    delete: Annotated[bool, said("Delete these lines.")] = False
    verbatim: Annotated[bool, said("Write the code as it comes.")] = False
    relocate: Annotated[bool, said("Follow a line that moved, by its hash.")] = False


def perform(caller: Caller, asked: Request) -> Reply:
    """Do it."""
    code, position = ("", None) if asked.delete else (asked.code, asked.position)
    fields = editing.operation("lines", Lines.__struct_fields__, asked, code=code, position=position)
    return editing.one(caller, asked, fields)
