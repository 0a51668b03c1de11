"""How risky a transaction is, and why."""

from __future__ import annotations

import msgspec

from gitscalpel.report import Risk
from gitscalpel.verbs import risks
from gitscalpel.verbs.asked import Named
from gitscalpel.verbs.reply import Caller, Reply, plain


class Request(Named, frozen=True, kw_only=True):
    """Which one."""


class Answer(Risk, frozen=True, kw_only=True):
    """Its risk; ``tx`` is which it is."""

    tx: str


def perform(caller: Caller, asked: Request) -> Reply:
    """Explain it."""
    tx = caller.chosen(asked)
    risk = tx.risk
    text = "\n".join([tx.id, *risks.words(risk, every=True)])
    return Reply(Answer(tx=tx.id, **msgspec.structs.asdict(risk)), plain(text))
