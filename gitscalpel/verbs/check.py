"""Every gate judges an open transaction, without landing it, or what the checkout would make."""

from __future__ import annotations

from typing import Annotated

from gitscalpel.phrases import action
from gitscalpel.report import CHECKOUT
from gitscalpel.verbs import editing, risks
from gitscalpel.verbs.asked import Named, said
from gitscalpel.verbs.reply import Caller, Reply, plain

Answer = editing.Answer


class Request(Named, frozen=True, kw_only=True):
    """Which one."""

    fresh: Annotated[bool, said("Run commands again whose verdict is known.")] = False


def perform(caller: Caller, asked: Request) -> Reply:
    """Judge it."""
    here = asked.tx == CHECKOUT
    result = (
        caller.repo.check_checkout(fresh=asked.fresh)
        if here
        else caller.chosen(asked).check(fresh=asked.fresh)
    )
    lines = [f"{gate.name}: {gate.status}" for gate in result.facts.gates]
    text = "\n".join(lines + (risks.words(result.facts.risk) if result.facts.risk else []))
    then = () if here else (action("land", tx=result.tx),)
    return Reply(result.answer(), plain(text), result.warnings, then)
