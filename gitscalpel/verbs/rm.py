"""A file goes, or a folder with all its files."""

from __future__ import annotations

from typing import Annotated

from gitscalpel.verbs import editing, folder
from gitscalpel.verbs.asked import Editing, said
from gitscalpel.verbs.reply import Caller, Reply

Answer = editing.Answer


class Request(Editing, frozen=True, kw_only=True):
    """Which one."""

    path: Annotated[str, said("The file or folder to remove.", "PATH", place=True, path=True)]


def perform(caller: Caller, asked: Request) -> Reply:
    """Remove it."""
    return folder.each(caller, asked, "remove", asked.path)
