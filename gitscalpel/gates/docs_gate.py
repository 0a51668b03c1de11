"""Report or refuse edits that make documentation wrong."""

from __future__ import annotations

from typing import Literal

from gitscalpel.changesets.answers import Finding
from gitscalpel.edit.outcome import Outcome
from gitscalpel.edit.rename_detection import Renames
from gitscalpel.errors import GateRefused
from gitscalpel.gates.verdict import Verdict
from gitscalpel.refactor.documentation import find_stale

NAME = "docs"
_NAMED = 5
"""Places that a refusal names."""


def judge(outcome: Outcome, level: Literal["off", "report", "block"]) -> Verdict:
    """The verdict on a change as a whole: what one step of it makes untrue, another may mend."""
    rows = find_stale(outcome, Renames(outcome).origins).rows
    blocks = level == "block"
    severity: Literal["error", "warning"] = "error" if blocks else "warning"
    findings = tuple(Finding(row.path, row.line, 1, row.why, severity) for row in rows)
    if not rows or not blocks:
        return Verdict(NAME, "passed", findings)
    places = "; ".join(f"{row.path}:{row.line}: {row.why}" for row in rows[:_NAMED])
    more = f" and {len(rows) - _NAMED} more" if len(rows) > _NAMED else ""
    error = GateRefused(
        "gate_failed",
        f"documentation would be untrue: {places}{more}",
        "change it in the same changeset",
        gate=NAME,
        places=[f"{row.path}:{row.line}" for row in rows],
    )
    return Verdict(NAME, "failed", findings, error)
