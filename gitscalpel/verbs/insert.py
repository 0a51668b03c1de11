"""New code beside a definition, or as first or last child of its body, or of a whole file."""

from __future__ import annotations

from typing import Annotated, Literal

from gitscalpel.api import Insert
from gitscalpel.verbs import editing
from gitscalpel.verbs.asked import Addressed, said
from gitscalpel.verbs.reply import Caller, Reply

Answer = editing.Answer

_PLACES = {
    "before": "Above the target and its lead.",
    "after": "Below the target (the default).",
    "first": "As first child of its body; of a PATH alone, at the top of the file.",
    "last": "As last child of its body; of a PATH alone, at its end.",
}


class Request(Addressed, frozen=True, kw_only=True):
    """What to insert, and where."""

    position: Annotated[
        Literal["before", "after", "first", "last"],
        said("Where it goes, seen from the target.", form="flags", each=_PLACES),
    ] = "after"
    code: Annotated[str, said("The new code", form="text")]


def perform(caller: Caller, asked: Request) -> Reply:
    """Insert it."""
    return editing.one(caller, asked, editing.operation("insert", Insert.__struct_fields__, asked))
