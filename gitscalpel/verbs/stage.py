"""What was done by hand, in a transaction's worktree or in the checkout, goes into the transaction."""

from __future__ import annotations

from typing import Annotated

from gitscalpel.verbs import editing
from gitscalpel.verbs.asked import Message, Named, said
from gitscalpel.verbs.reply import Caller, Reply

Answer = editing.Answer


class Request(Named, frozen=True, kw_only=True):
    """Whose."""

    from_checkout: Annotated[
        tuple[str, ...],
        said(
            "Take in the uncommitted changes at these files or folders of the checkout.",
            "PATH",
            path=True,
            many=True,
        ),
    ] = ()
    message: Message = None


def perform(caller: Caller, asked: Request) -> Reply:
    """Take it in."""
    tx = caller.chosen(asked)
    paths, message = asked.from_checkout, asked.message
    return editing.told(tx.take(*paths, message=message) if paths else tx.stage(message=message))
