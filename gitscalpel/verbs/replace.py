"""New code in the place of a definition, a selector's match or a line range."""

from __future__ import annotations

from typing import Annotated, Literal

from gitscalpel.api import Replace
from gitscalpel.verbs import editing
from gitscalpel.verbs.asked import Addressed, said
from gitscalpel.verbs.reply import Caller, Reply

Answer = editing.Answer


class Request(Addressed, frozen=True, kw_only=True):
    """What to replace, and by what."""

    code: Annotated[str, said("The new code", form="text")]
    lead: Annotated[
        Literal["auto", "keep", "drop"], said("What becomes of comments, decorators and export.")
    ] = "auto"
    rename: Annotated[bool, said("Where the code has another name, rename it wherever it is used.")] = False


def perform(caller: Caller, asked: Request) -> Reply:
    """Replace it."""
    return editing.one(caller, asked, editing.operation("replace", Replace.__struct_fields__, asked))
