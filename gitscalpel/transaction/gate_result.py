"""Interface of the gates that run programs or require approvals, and which of them concern a change.

``transaction/check/gate_runner.py`` runs the gates and loads many more modules than this one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

import msgspec

from gitscalpel.changesets import config
from gitscalpel.changesets.answers import Fix, Remaining
from gitscalpel.changesets.file_tree import Changes, Oid
from gitscalpel.changesets.paths import Globs
from gitscalpel.changesets.rules import GATES, Gate, Rules
from gitscalpel.edit.outcome import Outcome
from gitscalpel.gates.verdict import Verdict
from gitscalpel.git import hooks
from gitscalpel.transaction.change import Change, Meta
from gitscalpel.workspace.workspace import Workspace


class GateRequest(msgspec.Struct, frozen=True):
    """Request to a gate that runs programs or requires approvals."""

    # True if the caller wants the verdict, even if the gate has judged this change before
    again: bool = False
    fresh: bool = False  # True if cached verdicts on this tree do not count
    next_command: str = ""  # command for the hint after the approval. Empty if the change lands.
    # changes that land together with the change. None for those of the change itself.
    files: Changes | None = None
    fix: bool = False  # True if the gate may apply safe fixes


class GateResult(msgspec.Struct, frozen=True):
    """Result of a gate that runs programs or requires approvals."""

    verdicts: tuple[Verdict, ...]  # one verdict, or one for each of several commands
    # returns the metadata of the change with other effects of the gate. None for none.
    update_meta: Callable[[Meta], Meta] | None = None
    # tree of the change after the programs of the gate have changed it. None if unchanged.
    tree: Oid | None = None
    fixed: tuple[Fix, ...] | None = None  # fixes that were applied. None for none.
    # new problems that are left. None if the gate does not look for problems.
    remaining: tuple[Remaining, ...] | None = None


class GateModule(Protocol):
    """Module of a gate that runs programs or requires approvals.

    A module may also have a function ``judge_digest(ws)``, which returns the digest of the programs that
    judge. A change that they have passed is not judged again while its base, tree, message and the digest are
    the same.
    """

    def pending(self, ws: Workspace, rules: Rules, outcome: Outcome, /) -> Iterable[str]:
        """Return notes on the checks that the gate has still to make, if the change concerns it."""

    def judge(self, ws: Workspace, change: Change, asked: GateRequest, /) -> GateResult | None:
        """Judge a change each time that it lands. Return None if its record has the result already."""


PROGRAM_GATES = tuple(gate for gate in GATES if gate.stage == "programs")
PEOPLE_GATES = tuple(gate for gate in GATES if gate.stage == "people")


def load_gate(gate: Gate) -> GateModule:
    module: GateModule = gate.load()
    return module


def is_concerned(ws: Workspace, gate: Gate, rules: Rules) -> bool:
    """Return True if a gate may judge changes under these rules; its module is not loaded for others."""
    return gate.is_on(rules) and not (
        gate.needs_hooks and not hooks.find_active_hooks(ws.repo.hooks, hooks.BY_GIT)
    )


def may_judge(ws: Workspace, rules: Rules) -> bool:
    by_rules = any(gate.is_on(rules) for gate in PROGRAM_GATES if not gate.needs_hooks)
    return by_rules or bool(commit_hooks(ws, rules))


def commit_hooks(ws: Workspace, rules: Rules) -> list[Path]:
    return hooks.find_active_hooks(ws.repo.hooks, hooks.AT_COMMIT) if rules.gates.hooks == "run" else []


def has_pending_programs(change: Change) -> bool:
    """Return True if programs have still to judge a change, which may take minutes."""
    return any(gate.name in change.meta.pending for gate in PROGRAM_GATES)


def changes_rules(rules: Rules, files: Changes) -> bool:
    """Return True if a file contains rules. Changes that land afterwards are checked by other rules then."""
    others = [*rules.policy.rules, *rules.signers]
    if not others:
        return any(file.path == config.PATH for file in files)
    ruling = Globs([f"/{config.PATH}", *others])
    return any(ruling.match(file.path) for file in files)
