"""Reverts: how often changes of these files were taken back. Where it was hard once, it is hard again."""

from __future__ import annotations

from gitscalpel.risk.about import About
from gitscalpel.risk.history import DAYS
from gitscalpel.risk.measured import Measured, by_doublings, many

NAME = "reverts"


def scaled(taken_back: float) -> float:
    """1 from 7 on."""
    return by_doublings(taken_back, 3)


def measure(about: About) -> Measured:
    """Revert commits and undos of the last year that touched one of its files."""
    reverted, undone = about.past.reverted, about.past.undone
    count = reverted + len(undone)
    if not count:
        return Measured(0, 0.0, f"nothing in its files was taken back in {DAYS} days")
    names = {(each.path, each.symbol) for each in about.touched}
    same = sum(bool(names & symbols) for symbols in undone)
    words = f"{many(reverted, 'revert')} and {many(len(undone), 'undo')} in its files in {DAYS} days"
    words += f", {same} of the very definitions" if same else ""
    return Measured(count, scaled(count), words)
