"""What a transaction changes, as a patch."""

from __future__ import annotations

from gitscalpel.api import BadCall
from gitscalpel.errors.messages import action, call
from gitscalpel.verbs import editing
from gitscalpel.verbs.asked import Named
from gitscalpel.verbs.reply import Caller, Reply, Words

Answer = editing.Answer


class Request(Named, frozen=True, kw_only=True):
    """Which one."""


def perform(caller: Caller, asked: Request) -> Reply:
    """Show it."""
    if asked.tx is None and caller.repo.inside is None:
        hint = f"give its ID; {call('list')} shows them, and `git diff` what is uncommitted in the checkout"
        raise BadCall("invalid_args", "which transaction?", hint)
    result = caller.chosen(asked).result
    return Reply(
        result.answer(),
        lambda _: Words(diff=result.patch.diff, page=True),
        next=(action("land", tx=result.tx),),
    )
