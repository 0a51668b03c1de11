"""Runs the gates in order; the first that says no is what the caller is told."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from gitscalpel.edit.outcome import Outcome
from gitscalpel.gates import structure, syntax
from gitscalpel.gates.verdict import Verdict
from gitscalpel.rules import Rules


def judge(outcome: Outcome, rules: Rules, allow_broken: bool = False) -> tuple[Verdict, ...]:
    """Every gate's verdict, up to the first that refuses."""
    verdicts: list[Verdict] = []
    gates: tuple[Callable[[], Verdict], ...] = (
        lambda: syntax.judge(outcome, allow_broken) if rules.gates.syntax else Verdict("syntax", "skipped"),
        lambda: structure.judge(outcome, rules.gates.structure),
    )
    for gate in gates:
        began = time.monotonic()
        verdict = gate()
        verdicts.append(msgspec.structs.replace(verdict, seconds=round(time.monotonic() - began, 4)))
        if verdict.error is not None:
            break
    return tuple(verdicts)
