"""Runs the gates in order; the first that says no is what the caller is told, unless all are asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from functools import partial

import msgspec

from gitscalpel.changesets.rules import Policy, Rules
from gitscalpel.edit.outcome import Outcome
from gitscalpel.gates import configuration, structure, syntax
from gitscalpel.gates.verdict import Verdict

BY_HAND = ("syntax", "structure", "policy", "docs")
"""The gates that judge what somebody has made with git, by name and in order."""


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
    broken = allow_broken and rules.policy.allow_broken
    gates: dict[str, Callable[[], Verdict]] = {
        "syntax": lambda: (
            syntax.judge(outcome, broken, rules.gates) if rules.gates.syntax else Verdict("syntax", "skipped")
        ),
        "structure": lambda: structure.judge(outcome, rules.gates.structure),
        **_of_team(outcome, rules, whole=whole),
    }
    verdicts: list[Verdict] = []
    for verdict in _said(outcome, rules, gates):
        verdicts.append(verdict)
        if verdict.error is not None:
            break
    return tuple(verdicts)


def by_hand(outcome: Outcome, rules: Rules, only: Collection[str] = ()) -> tuple[Verdict, ...]:
    """Every gate's verdict on a change that somebody made with git, also of those behind one that refuses.

    Args:
        outcome: the change, which no operation made.
        rules: of its target.
        only: the names of the gates to ask, of :data:`BY_HAND`; none: all that the rules ask for.
    """
    from gitscalpel.gates import as_patch

    level = rules.gates.structure
    gates: dict[str, Callable[[], Verdict]] = {
        "syntax": lambda: (
            syntax.judge(outcome, rules=rules.gates) if rules.gates.syntax else Verdict("syntax", "skipped")
        ),
        "structure": lambda: structure.judge(outcome if level == "off" else as_patch.read(outcome), level),
        **{name: partial(Verdict, name, "skipped") for name in BY_HAND[2:] if name in only},
        **_of_team(outcome, rules, whole=True),
    }
    asked = {name: gate for name, gate in gates.items() if not only or name in only}
    return tuple(_said(outcome, rules, asked))


def _of_team(outcome: Outcome, rules: Rules, *, whole: bool) -> dict[str, Callable[[], Verdict]]:
    """The gates that there are only where the rules say so; they load what others need not."""
    gates: dict[str, Callable[[], Verdict]] = {}
    if rules.policy != Policy():
        from gitscalpel.gates.policy import judge as policy

        asked = policy.OF_THE_WHOLE if whole else policy.OF_EACH_STEP
        gates["policy"] = lambda: policy.judge(outcome, rules.policy, asked)
    if rules.gates.docs != "off" and whole:
        from gitscalpel.gates import docs

        gates["docs"] = lambda: docs.judge(outcome, rules.gates.docs)
    return gates


def _said(outcome: Outcome, rules: Rules, gates: dict[str, Callable[[], Verdict]]) -> Iterator[Verdict]:
    """What gates say, one after the other; nothing but that where nobody could be judged by what is left."""
    unreadable = configuration.judge(outcome, rules)
    if unreadable is not None:
        yield unreadable
        return
    for gate in gates.values():
        began = time.monotonic()
        verdict = gate()
        yield msgspec.structs.replace(verdict, seconds=round(time.monotonic() - began, 4))
