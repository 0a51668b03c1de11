"""Run a command (a formatter, a codemod) in a transaction's worktree and land what it changed."""

from __future__ import annotations

from collections.abc import Container, Sequence

import msgspec

from gitscalpel.changesets.file_tree import Changes
from gitscalpel.errors import WaitsForPerson, WorldMoved
from gitscalpel.transaction.candidate import blank_meta, candidate
from gitscalpel.transaction.land import finish
from gitscalpel.transaction.movement.retry import trying
from gitscalpel.transaction.open_transaction import naming
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.stage import worktree_changes
from gitscalpel.workspace import TreeTarget, Workspace


def perform(
    ws: Workspace,
    words: Sequence[str],
    target: TreeTarget,
    message: str | None = None,
    *,
    ok: Container[int] = (0,),
    land: bool = True,
    dry_run: bool = False,
    wait: float = 0.0,
) -> Result:
    """Begin a transaction, run a command in its worktree, and land what it did.

    Args:
        ws: where.
        words: the program and its arguments.
        target: the branch.
        message: of the commit; None: one that names the command.
        ok: the exit statuses that are a success.
        land: else the transaction stays open.
        dry_run: say what would land, and leave nothing.
        wait: for how many seconds to try to land it again.

    Raises:
        WorldMoved, WaitsForPerson: it cannot land now; the transaction stays open.
        ScalpelError: any other refusal; nothing is left.
    """
    empty = candidate(ws, target.snapshot.tree, blank_meta(ws, target, message), Changes())
    with finish.held(ws, empty) as begun:
        staged, done = worktree_changes.run(ws, begun, words, ok, keep=False)  # nobody knows of it yet
        if dry_run:
            finish.forget(ws, staged)
            return msgspec.structs.replace(done, tx=None, head=None, worktree=None)
        if not land:
            return done
        try:
            return trying(lambda: finish.landed(ws, staged.refreshed(ws)), wait)
        except (WorldMoved, WaitsForPerson) as error:
            stays = error
    with naming(staged):
        raise stays
