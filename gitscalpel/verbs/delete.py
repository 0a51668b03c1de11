"""A definition, a selector's match or a line range goes."""

from __future__ import annotations

from typing import Annotated

from gitscalpel.api import Delete
from gitscalpel.verbs import editing
from gitscalpel.verbs.asked import Addressed, said
from gitscalpel.verbs.reply import Caller, Reply

Answer = editing.Answer


class Request(Addressed, frozen=True, kw_only=True):
    """What to delete."""

    safe: Annotated[bool, said("Refuse while the name is still used.")] = False
    fill: Annotated[str | None, said("What takes the place of a block's last statement: pass.")] = None


def perform(caller: Caller, asked: Request) -> Reply:
    """Delete it."""
    return editing.one(caller, asked, editing.operation("delete", Delete.__struct_fields__, asked))
