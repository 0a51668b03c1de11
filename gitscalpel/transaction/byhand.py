"""Takes into a transaction what was done in its worktree: edits and commits by hand, or a command's work."""

from __future__ import annotations

import shlex
from collections.abc import Container, Sequence

from gitscalpel import command
from gitscalpel.errors import DoesNotFit, GateRefused
from gitscalpel.transaction import worktree
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.shadow import Staged
from gitscalpel.transaction.staging import take
from gitscalpel.workspace import Workspace


def stage(ws: Workspace, staged: Staged) -> tuple[Staged, Result]:
    """Take what was edited and committed by hand.

    Returns:
        the transaction with it; what that alone did.

    Raises:
        DoesNotFit: ``no_change``, ``conflicted`` or ``not_a_file``.
    """
    if worktree.folder(ws, staged.id) is None:
        raise DoesNotFit(
            "no_change",
            f"transaction {staged.id} has no worktree, so nothing was edited there",
            f"git scalpel worktree {staged.id} makes one; --tx {staged.id} edits without one",
            tx=staged.id,
        )
    with worktree.leased(ws, staged) as place:
        tree = worktree.edits(ws, staged, place)
        if tree is None:
            raise DoesNotFit(
                "no_change",
                f"nothing has been edited in {place.slot.root}",
                "edit there and stage again; ignored files are not taken",
                tx=staged.id,
            )
        after, done = take(ws, staged, tree, "; ".join(place.commits()) or "edit by hand")
        worktree.settle(ws, after, place, tree)
        return after, done


def run(
    ws: Workspace, staged: Staged, words: Sequence[str], ok: Container[int] = (0,)
) -> tuple[Staged, Result]:
    """Run a command in the transaction's worktree, in which nothing is edited, and take what it did.

    Args:
        ws: where.
        staged: the transaction.
        words: the program and its arguments.
        ok: the exit statuses that are a success.

    Returns:
        the transaction with it; what the command alone did.

    Raises:
        GateRefused: ``gate_failed``: the command failed; the worktree is as it was before.
        DoesNotFit: ``no_change``.
    """
    what = shlex.join(words)
    with worktree.leased(ws, staged) as place:
        tree = ws.store.commit(staged.head).tree
        status = command.run(words, place.slot.root / ws.repo.prefix, {"SCALPEL_TX": staged.id}, place.held)
        if status not in ok:
            worktree.settle(ws, staged, place, tree)
            raise GateRefused(
                "gate_failed",
                f"{what} ended with exit status {status}",
                "mend what it complains about; --ok-status takes a status as a success",
                status=status,
                tx=staged.id,
            )
        made = worktree.edits(ws, staged, place)
        after, done = take(ws, staged, made or tree, what)
        worktree.settle(ws, after, place, made or tree)
        return after, done
