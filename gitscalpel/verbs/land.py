"""An open transaction lands on its branch, and the checkout comes along."""

from __future__ import annotations

from typing import Annotated

from gitscalpel.errors.messages import arg
from gitscalpel.verbs import decision, editing
from gitscalpel.verbs.asked import Message, Named, Wait, said
from gitscalpel.verbs.reply import Caller, Reply

Answer = editing.Answer


class Request(Named, frozen=True, kw_only=True):
    """Which one."""

    message: Message = None
    expect: decision.Expect = ""
    wait: Wait = 0.0
    not_before: Annotated[
        str | None,
        said(
            f"Not before HH:MM (of today) or a date and time: wait for it as long as {arg('wait')} says, "
            "else refuse.",
            "TIME",
        ),
    ] = None


def perform(caller: Caller, asked: Request) -> Reply:
    """Land it."""
    chosen = caller.chosen(asked)
    done = chosen.land(asked.message, wait=asked.wait, expect=asked.expect, not_before=asked.not_before)
    return editing.told(done)
