"""The landing, or edit of the checkout, that the last undo took back is made again."""

from __future__ import annotations

from gitscalpel.verbs import stepping
from gitscalpel.verbs.asked import Asked, Onto
from gitscalpel.verbs.reply import Caller, Reply

Answer = stepping.Stepped


class Request(Asked, frozen=True, kw_only=True):
    """On which branch."""

    onto: Onto = None


def perform(caller: Caller, asked: Request) -> Reply:
    """Make it again."""
    return stepping.told("redo", caller.repo.redo(onto=asked.onto), asked.onto)
