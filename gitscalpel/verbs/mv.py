"""A file or folder goes to another place; what imports it is left as it is."""

from __future__ import annotations

from gitscalpel.verbs import editing, folder
from gitscalpel.verbs.asked import Carried
from gitscalpel.verbs.reply import Caller, Reply

Answer = editing.Answer


class Request(Carried, frozen=True, kw_only=True):
    """What moves, and to where."""


def perform(caller: Caller, asked: Request) -> Reply:
    """Move it."""
    return folder.each(caller, asked, "move_file", asked.path, asked.to)
