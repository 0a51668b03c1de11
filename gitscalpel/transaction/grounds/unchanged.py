"""Whether commands have left the files alone that they were to check."""

from __future__ import annotations

from gitscalpel.errors import GateRefused
from gitscalpel.git.repository import Repository
from gitscalpel.git.run import paths
from gitscalpel.report import quoted


def refuse_changes(repo: Repository) -> None:
    """Refuse where a file of a worktree is not as its index has it: who came later saw something else.

    Raises:
        GateRefused: ``gate_failed``.
    """
    changed = [quoted(path) for path in paths(repo.git("diff", "--name-only", "-z"))]
    if changed:
        raise GateRefused(
            "gate_failed",
            f"{', '.join(changed[:5])} changed while commands ran: what is to land has not been checked",
            "have the command check only (`ruff format --check`); to land what it changes, "
            "git scalpel run -- COMMAND",
            files=changed,
        )
