"""What was done by hand in a transaction's worktree goes into the transaction."""

from __future__ import annotations

from gitscalpel.verbs import editing
from gitscalpel.verbs.asked import Message, Named
from gitscalpel.verbs.reply import Caller, Reply

Answer = editing.Answer


class Request(Named, frozen=True, kw_only=True):
    """Whose."""

    message: Message = None


def perform(caller: Caller, asked: Request) -> Reply:
    """Take it in."""
    tx = caller.chosen(asked)
    result = tx.stage()
    if asked.message:
        tx.reword(asked.message)
    return editing.told(result)
