"""Whether programs have a say in a change; who asks them is ``judging.py``, which needs far more."""

from __future__ import annotations

from pathlib import Path

from gitscalpel.changesets.rules import Rules
from gitscalpel.git import hooks
from gitscalpel.transaction.candidate import Candidate
from gitscalpel.workspace import Workspace

GATES = ("hooks", "diagnostics", "commands")
"""The gates that start them."""


def may_judge(ws: Workspace, rules: Rules) -> bool:
    """Whether there are any that may have a say in a change, whatever it is."""
    gates = rules.gates
    return bool(gates.judging or gates.diagnostics != "off" or at_commit(ws, rules))


def at_commit(ws: Workspace, rules: Rules) -> list[Path]:
    """The hooks that judge a commit."""
    return hooks.active(ws.repo.hooks, hooks.AT_COMMIT) if rules.gates.hooks == "run" else []


def have_still_to_judge(change: Candidate) -> bool:
    """Whether they have to; that may take minutes, and look at what they judge."""
    return any(gate in change.meta.pending for gate in GATES)
