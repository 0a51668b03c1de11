"""Somebody says no to an open transaction as it is."""

from __future__ import annotations

from typing import Annotated

from gitscalpel.verbs import decision
from gitscalpel.verbs.asked import Named, said
from gitscalpel.verbs.reply import Caller, Reply

Answer = decision.Approval


class Request(Named, frozen=True, kw_only=True):
    """Which, and why."""

    message: Annotated[str, said("The reason (required).", "TEXT", short="-m", form="paragraphs")] = ""
    expect: decision.Expect = ""


def perform(caller: Caller, asked: Request) -> Reply:
    """Say so."""
    tx = caller.chosen(asked)
    return decision.decided(tx.id, "reject", tx.reject(asked.message, asked.expect))
