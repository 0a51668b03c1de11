"""A definition moves to another file; imports and uses follow: all files, or none."""

from __future__ import annotations

from typing import Annotated

from gitscalpel.api import BadCall, Move
from gitscalpel.verbs import editing
from gitscalpel.verbs.asked import Base, ChangeRequest, Place, Symbol, said
from gitscalpel.verbs.reply import Caller, Reply

Answer = editing.Answer


class Request(ChangeRequest, frozen=True, kw_only=True):
    """What to move, and where."""

    leads = True

    path: Place
    symbol: Symbol = None
    to_path: Annotated[
        str | None, said("The other file; it is made if it is not there.", "PATH", place=True, path=True)
    ] = None
    to: Annotated[
        str | None,
        said(
            "A method becomes a function of this name, or goes to an attribute's class (self.attr.name).",
            "NAME",
        ),
    ] = None
    companions: Annotated[
        tuple[str, ...],
        said("A definition of the file that moves first; may be repeated.", "SYMBOL", typed="with"),
    ] = ()
    base: Base = None


def perform(caller: Caller, asked: Request) -> Reply:
    """Move it."""
    if asked.symbol is None:
        raise BadCall("invalid_args", "move takes a definition", "give PATH::SYMBOL; mv moves a whole file")
    given = {"companions": list(asked.companions) or None}
    return editing.one(caller, asked, editing.operation("move", Move.__struct_fields__, asked, **given))
