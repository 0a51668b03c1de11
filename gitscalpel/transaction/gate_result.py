"""Request to a gate and its result, and the questions whether programs or rule changes are involved.

A change that alters the rules ends a batch, because whatever lands after it is checked by other rules.
``transaction/check/gate_runner.py`` runs the gates and loads many more modules than this one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from gitscalpel.changesets import config
from gitscalpel.changesets.answers import Fix, Remaining
from gitscalpel.changesets.file_tree import Changes, Oid
from gitscalpel.changesets.rules import Rules
from gitscalpel.gates.verdict import Verdict
from gitscalpel.git import hooks
from gitscalpel.transaction.candidate import Candidate, Meta
from gitscalpel.workspace import Workspace


class Asked(msgspec.Struct, frozen=True):
    """How a gate is asked.

    Attributes:
        again: somebody wants to hear it, though it may have judged the change as it is.
        fresh: what it has said of this very tree before does not count.
        then: what is to be done once people have agreed, for a hint; "": it is landed.
        files: what changes, where others land with it; None: what the change itself does.
        fix: what can be mended in one safe way may be; else it is judged as it is.
    """

    again: bool = False
    fresh: bool = False
    then: str = ""
    files: Changes | None = None
    fix: bool = False


class Said(msgspec.Struct, frozen=True):
    """What a gate says.

    Attributes:
        verdicts: one, or those of several commands.
        note: the change's record with what else they have made of it; None: as it was.
        tree: what its programs have made of the change; None: what it was.
        fixed: what that changed; None: it changes nothing.
        remaining: what is new and still wrong; None: it does not look for that.
    """

    verdicts: tuple[Verdict, ...]
    note: Callable[[Meta], Meta] | None = None
    tree: Oid | None = None
    fixed: tuple[Fix, ...] | None = None
    remaining: tuple[Remaining, ...] | None = None


PROGRAM_GATES = ("hooks", "diagnostics", "commands")
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
    return any(gate in change.meta.pending for gate in PROGRAM_GATES)


def change_rules(rules: Rules, files: Changes) -> bool:
    """Whether any of these files is one that ``rules`` come from."""
    others = [*rules.policy.rules, *rules.signers]
    if not others:
        return any(file.path == config.PATH for file in files)
    from gitscalpel.changesets.globs import Globs

    ruling = Globs([f"/{config.PATH}", *others])
    return any(ruling.match(file.path) for file in files)
