"""Another name for a symbol, everywhere it is used: all files, or none."""

from __future__ import annotations

from typing import Annotated

from gitscalpel.api import Rename
from gitscalpel.verbs import editing
from gitscalpel.verbs.asked import Base, ChangeRequest, Line, NamePlace, Symbol, Trust, Word, said
from gitscalpel.verbs.reply import Caller, Reply

Answer = editing.Answer


class Request(ChangeRequest, frozen=True, kw_only=True):
    """What to rename, and how it is called from now on."""

    leads = True

    path: NamePlace
    symbol: Symbol = None
    start: Line = None
    name: Word = None
    to: Annotated[str, said("The new name.", "NEW", place=True)]
    also_text: Annotated[bool, said("Change the word in comments, strings and prose as well.")] = False
    trust: Trust = None
    base: Base = None


def perform(caller: Caller, asked: Request) -> Reply:
    """Rename it."""
    return editing.one(caller, asked, editing.operation("rename", Rename.__struct_fields__, asked))
