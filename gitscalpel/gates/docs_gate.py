"""The gate ``docs``: report or reject edits that make documentation wrong."""

from __future__ import annotations

from typing import Literal

from gitscalpel.changesets.answers import Finding
from gitscalpel.changesets.rules import Rules
from gitscalpel.edit.outcome import Outcome
from gitscalpel.edit.unified_diff import Renames
from gitscalpel.errors import GateRefused
from gitscalpel.gates.verdict import StaticRequest, Verdict
from gitscalpel.refactor.documentation import find_stale

NAME = "docs"
_MAX_NAMED = 5  # Number of places that an error names


def judge(outcome: Outcome, rules: Rules, _: StaticRequest) -> Verdict:
    """Judge a change as a whole, because one step may correct documentation that another has made wrong."""
    rows = find_stale(outcome, Renames(outcome).origins).rows
    blocks = rules.gates.docs == "block"
    severity: Literal["error", "warning"] = "error" if blocks else "warning"
    findings = tuple(Finding(row.path, row.line, 1, row.why, severity) for row in rows)
    if not rows or not blocks:
        return Verdict(NAME, "passed", findings)
    places = "; ".join(f"{row.path}:{row.line}: {row.why}" for row in rows[:_MAX_NAMED])
    others = f" and {len(rows) - _MAX_NAMED} more" if len(rows) > _MAX_NAMED else ""
    error = GateRefused(
        "gate_failed",
        f"documentation would be wrong: {places}{others}",
        "correct it in the same changeset",
        gate=NAME,
        places=[f"{row.path}:{row.line}" for row in rows],
    )
    return Verdict(NAME, "failed", findings, error)
