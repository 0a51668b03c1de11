"""What is still to be judged before a transaction lands, in words: by hooks, by commands, by people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitscalpel.edit.outcome import Outcome
from gitscalpel.globs import Globs
from gitscalpel.rules import Rules
from gitscalpel.transaction import hooking
from gitscalpel.workspace import Workspace


def everything(ws: Workspace, rules: Rules, outcome: Outcome) -> tuple[str, ...]:
    """All of it, for a change that nobody has looked at yet."""
    changed = [change.path for change in outcome.changes]
    return (*hooking.waiting(ws, rules), *commands(rules, changed), *_people(rules, outcome))


def commands(rules: Rules, changed: Sequence[str]) -> Iterator[str]:
    """The commands that run where these paths change."""
    for gate in rules.gates.command:
        if not gate.paths or any(Globs(gate.paths).among(changed)):
            yield f"gates.command {gate.name} has not run yet: it does at check or land"


def _people(rules: Rules, outcome: Outcome) -> Iterator[str]:
    if not rules.ask_people:
        return
    from gitscalpel.gates import approval

    for why in approval.needed(outcome, rules).why:
        yield f"{why} needs {rules.approval.count} approval{'s' * (rules.approval.count > 1)} to land"
