"""A file or folder is put in a second place."""

from __future__ import annotations

from gitscalpel.verbs import editing, folder
from gitscalpel.verbs.asked import Carried
from gitscalpel.verbs.reply import Caller, Reply

Answer = editing.Answer


class Request(Carried, frozen=True, kw_only=True):
    """What is copied, and to where."""


def perform(caller: Caller, asked: Request) -> Reply:
    """Copy it."""
    return folder.each(caller, asked, "copy_file", asked.path, asked.to)
