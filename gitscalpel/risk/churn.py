"""Churn: how often these files have changed of late. What changes often is changed wrongly more often.

Nagappan and Ball, Use of Relative Code Churn Measures to Predict System Defect Density, 2005.
"""

from __future__ import annotations

from gitscalpel.report import quoted
from gitscalpel.risk.about import About
from gitscalpel.risk.history import CHURN_DAYS
from gitscalpel.risk.measured import Measured, by_doublings, many

NAME = "churn"


def scaled(commits: float) -> float:
    """1 from 63 commits on."""
    return by_doublings(commits, 6)


def measure(about: About) -> Measured:
    """Commits that touched the one of its files that changed most often of late."""
    counts = about.past.changed
    if not counts:
        return Measured(0, 0.0, f"none of its files has changed in {CHURN_DAYS} days")
    path = max(counts, key=lambda each: counts[each])
    words = f"{many(counts[path], 'commit')} to {quoted(path)} in {CHURN_DAYS} days"
    return Measured(counts[path], scaled(counts[path]), words)
