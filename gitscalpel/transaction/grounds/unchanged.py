"""Whether commands have left the files alone that they were to check."""

from __future__ import annotations

from gitscalpel.errors import GateRefused
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.report import quoted
from gitscalpel.snapshot import Oid


def refuse_changes(place: Worktree, tree: Oid) -> None:
    """Refuse where a file of a worktree is not as its tree has it: who came later saw something else.

    What a command has put into the index, or committed, or hidden from git, is a change as well.

    Raises:
        GateRefused: ``gate_failed``.
    """
    changed = [quoted(path) for path in place.changed(tree)]
    if changed:
        raise GateRefused(
            "gate_failed",
            f"{', '.join(changed[:5])} changed while commands ran: what is to land has not been checked",
            "have the command check only (`ruff format --check`); to land what it changes, "
            "git scalpel run -- COMMAND",
            files=changed,
        )
