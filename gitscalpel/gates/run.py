"""Runs the gates in order; the first that says no is what the caller is told."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from gitscalpel.edit.outcome import Outcome
from gitscalpel.gates import configuration, structure, syntax
from gitscalpel.gates.verdict import Verdict
from gitscalpel.rules import Policy, Rules


def judge(
    outcome: Outcome, rules: Rules, allow_broken: bool = False, *, whole: bool = False
) -> tuple[Verdict, ...]:
    """Every gate's verdict, up to the first that refuses.

    Args:
        outcome: the change.
        rules: of its target.
        allow_broken: the caller accepts that a file no longer parses.
        whole: it is all of a transaction, not a step of one.
    """
    unreadable = configuration.judge(outcome, rules)
    if unreadable is not None:
        return (unreadable,)
    broken = allow_broken and rules.policy.allow_broken
    verdicts: list[Verdict] = []
    gates: list[Callable[[], Verdict]] = [
        lambda: syntax.judge(outcome, broken) if rules.gates.syntax else Verdict("syntax", "skipped"),
        lambda: structure.judge(outcome, rules.gates.structure),
    ]
    if rules.policy != Policy():
        from gitscalpel.gates.policy import judge as policy

        asked = policy.OF_THE_WHOLE if whole else policy.OF_EACH_STEP
        gates.append(lambda: policy.judge(outcome, rules.policy, asked))
    if rules.gates.docs != "off" and whole:
        from gitscalpel.gates import docs

        gates.append(lambda: docs.judge(outcome, rules.gates.docs))
    for gate in gates:
        began = time.monotonic()
        verdict = gate()
        verdicts.append(msgspec.structs.replace(verdict, seconds=round(time.monotonic() - began, 4)))
        if verdict.error is not None:
            break
    return tuple(verdicts)
