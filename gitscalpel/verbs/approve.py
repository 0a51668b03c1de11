"""Somebody agrees to an open transaction as it is."""

from __future__ import annotations

from typing import Annotated

from gitscalpel.verbs import decision
from gitscalpel.verbs.asked import Named, said
from gitscalpel.verbs.reply import Caller, Reply

Answer = decision.Approval


class Request(Named, frozen=True, kw_only=True):
    """Which, and why."""

    message: Annotated[str, said("What to note.", "TEXT", short="-m", form="paragraphs")] = ""
    expect: decision.Expect = ""
    stage: Annotated[
        str | None, said("In which stage of approval (default: the one that waits).", "NAME")
    ] = None


def perform(caller: Caller, asked: Request) -> Reply:
    """Say so."""
    tx = caller.chosen(asked)
    return decision.decided(tx.id, "approve", tx.approve(asked.message, asked.expect, asked.stage))
