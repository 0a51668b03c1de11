"""What a transaction changes, as a patch."""

from __future__ import annotations

from gitscalpel.phrases import action
from gitscalpel.verbs import editing
from gitscalpel.verbs.asked import Named
from gitscalpel.verbs.reply import Caller, Reply, Words

Answer = editing.Answer


class Request(Named, frozen=True, kw_only=True):
    """Which one."""


def perform(caller: Caller, asked: Request) -> Reply:
    """Show it."""
    result = caller.chosen(asked).result
    return Reply(
        result.answer(),
        lambda _: Words(diff=result.patch.diff, page=True),
        next=(action("land", tx=result.tx),),
    )
