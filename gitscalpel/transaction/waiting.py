"""What is still to be judged before a transaction lands, in words: by hooks, by commands, by people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitscalpel.edit.outcome import Outcome
from gitscalpel.gates.commands.line import concerned
from gitscalpel.rules import Rules
from gitscalpel.snapshot import Change, Snapshot
from gitscalpel.transaction import hooking
from gitscalpel.workspace import Workspace


def everything(ws: Workspace, rules: Rules, outcome: Outcome) -> tuple[str, ...]:
    """All of it, for a change that nobody has looked at yet."""
    due = commands(rules, outcome.changes, outcome.overlay.below)
    return (*hooking.waiting(ws, rules), *due, *_people(rules, outcome))


def commands(rules: Rules, changes: Sequence[Change], before: Snapshot) -> Iterator[str]:
    """The commands that run for these changes of the files ``before``."""
    for gate in rules.gates.command:
        if not gate.paths or concerned(gate, changes, before):
            yield f"gates.command {gate.name} has not run yet: it does at check or land"


def _people(rules: Rules, outcome: Outcome) -> Iterator[str]:
    if not rules.ask_people:
        return
    from gitscalpel.gates import approval

    for why in approval.needed(outcome, rules).why:
        yield f"{why} needs {rules.approval.count} approval{'s' * (rules.approval.count > 1)} to land"
