"""Risk score of a transaction, computed on request and kept in its metadata."""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from gitscalpel.changesets.answers import Risk
from gitscalpel.risk.factors import About
from gitscalpel.risk.score import assess
from gitscalpel.transaction import static_gates
from gitscalpel.transaction.change import Change, authors
from gitscalpel.workspace import Workspace


def known(ws: Workspace, change: Change) -> Risk:
    """What is on its record, which goes when it becomes another change; else what it is now."""
    risk = change.meta.facts.risk
    return computed(ws, change) if risk is UNSET else risk


def computed(ws: Workspace, change: Change) -> Risk:
    """How risky it is by what is known now."""
    rules = ws.at(change.meta.branch).rules
    outcome = static_gates.outcome_between(ws.snapshot(change.meta.base), change.files)
    return assess(About(ws, change.meta.base, outcome, frozenset(authors(ws, change)), rules.risk))


def noted(ws: Workspace, change: Change) -> Change:
    """The change with how risky it is now on its record."""
    facts = msgspec.structs.replace(change.meta.facts, risk=computed(ws, change))
    if facts == change.meta.facts:
        return change
    return change.noted(ws, msgspec.structs.replace(change.meta, facts=facts))
