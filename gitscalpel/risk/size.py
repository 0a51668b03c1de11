"""Size: how many lines change. The larger a change, the more often it is wrong, and the less it is read."""

from __future__ import annotations

from gitscalpel.gates.policy.judged import Judged
from gitscalpel.risk.about import About
from gitscalpel.risk.measured import Measured, by_doublings, many
from gitscalpel.rules import Policy

NAME = "size"


def scaled(lines: float) -> float:
    """1 from 1,023 lines on."""
    return by_doublings(lines, 10)


def measure(about: About) -> Measured:
    """Lines added and removed."""
    judged = Judged(about.outcome, Policy())
    lines = sum(map(judged.size, about.paths))
    return Measured(lines, scaled(lines), f"{many(lines, 'line')} in {many(len(about.paths), 'file')}")
