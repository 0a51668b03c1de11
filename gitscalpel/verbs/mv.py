"""A file or folder goes to another place; what imports it follows."""

from __future__ import annotations

from typing import Annotated

from gitscalpel.verbs import editing, folder
from gitscalpel.verbs.asked import Carried, said
from gitscalpel.verbs.reply import Caller, Reply

Answer = editing.Answer


class Request(Carried, frozen=True, kw_only=True):
    """What moves, and to where."""

    keep_imports: Annotated[bool, said("Leave what imports it as it is.")] = False


def perform(caller: Caller, asked: Request) -> Reply:
    """Move it."""
    return folder.each(caller, asked, "move_file", asked.path, asked.to, keep_imports=asked.keep_imports)
