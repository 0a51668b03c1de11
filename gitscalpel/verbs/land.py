"""An open transaction lands on its branch, and the checkout comes along."""

from __future__ import annotations

from gitscalpel.verbs import decision, editing
from gitscalpel.verbs.asked import Message, Named, Wait
from gitscalpel.verbs.reply import Caller, Reply

Answer = editing.Answer


class Request(Named, frozen=True, kw_only=True):
    """Which one."""

    message: Message = None
    expect: decision.Expect = ""
    wait: Wait = 0.0


def perform(caller: Caller, asked: Request) -> Reply:
    """Land it."""
    return editing.told(caller.chosen(asked).land(asked.message, wait=asked.wait, expect=asked.expect))
