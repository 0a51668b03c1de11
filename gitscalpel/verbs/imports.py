"""Imports of a file are added, removed and put in order, where the file's own order puts them."""

from __future__ import annotations

from typing import Annotated

from gitscalpel.verbs import editing
from gitscalpel.verbs.asked import Base, ChangeRequest, said
from gitscalpel.verbs.reply import Caller, Reply

Answer = editing.Answer


class Request(ChangeRequest, frozen=True, kw_only=True):
    """Which file, and what becomes of its imports."""

    path: Annotated[str, said("The file.", "PATH", place=True, path=True)]
    add: Annotated[
        tuple[str, ...], said('Such as "from m import a, b as c"; may be repeated.', "IMPORT")
    ] = ()
    remove: Annotated[tuple[str, ...], said("Likewise; what is not there is no error.", "IMPORT")] = ()
    remove_unused: Annotated[bool, said("Remove names that nobody uses.")] = False
    remove_duplicates: Annotated[bool, said("Remove what is imported twice.")] = False
    sort: Annotated[bool, said("Put them in order, by groups.")] = False
    organize: Annotated[bool, said("The last three together.")] = False
    base: Base = None


def perform(caller: Caller, asked: Request) -> Reply:
    """Do it."""
    fields = ("path", "remove_unused", "remove_duplicates", "sort", "organize", "base")
    lists = {"add": list(asked.add), "remove": list(asked.remove)}
    return editing.one(caller, asked, editing.operation("imports", fields, asked, **lists))
