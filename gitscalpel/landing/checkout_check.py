"""Check the checkout's uncommitted changes with every gate, or adopt them into an open transaction.

The gates see the tree that committing everything would make.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import msgspec

from gitscalpel.changesets.answers import CHECKOUT, Fixes
from gitscalpel.changesets.operations import Patch
from gitscalpel.errors import BadCall, DoesNotFit, ScalpelError, WorldMoved
from gitscalpel.errors.messages import call
from gitscalpel.git import uncommitted
from gitscalpel.landing import staging
from gitscalpel.landing.checkout_edit import require_checkout
from gitscalpel.landing.rebase import merge_changes, rebase_onto_tip
from gitscalpel.transaction import recovery, result, static_gates
from gitscalpel.transaction.change import Change, diff_trees, new_change, new_meta
from gitscalpel.transaction.check import diagnostics_gate, gate_runner
from gitscalpel.transaction.result import Result
from gitscalpel.workspace.workspace import Workspace


def check(ws: Workspace, *, fresh: bool = False) -> Result:
    """Run every gate on the files of the checkout, tracked or not, as a change of its branch.

    ``fresh`` ignores cached verdicts of commands.

    Raises:
        BadCall: ``invalid_args``: no branch is checked out.
        DoesNotFit: ``no_change``, or ``conflicted``: a file has conflict markers.
        GateRefused: the first failure.
    """
    try:
        with _hold_checkout(ws) as staged:
            done = result.result_of(gate_runner.check(ws, staged, fresh=fresh, fix=False))
    except ScalpelError as error:
        raise error.alone() from error
    return msgspec.structs.replace(done, tx=None, head=None, branch=CHECKOUT)


def list_fixes(ws: Workspace, *, fresh: bool = False) -> Fixes:
    """Return new problems that servers and linters find in the checkout, with their fixes.

    Raises as :func:`check` does.
    """
    with _hold_checkout(ws) as staged:
        return diagnostics_gate.list_fixes(ws, staged, fresh=fresh)


def choose_fix(ws: Workspace, number: int, *, fresh: bool = False) -> Patch:
    """Return the edit of a fix. Raises ``index_out_of_range``, or as :func:`check` does."""
    with _hold_checkout(ws) as staged:
        return diagnostics_gate.choose_fix(ws, staged, number, fresh=fresh)


@contextmanager
def _hold_checkout(ws: Workspace) -> Iterator[Change]:
    """Hold the files of the checkout as a change of its branch, which is forgotten after the block."""
    require_checkout(ws)
    if ws.repo.head is None:
        raise BadCall(
            "invalid_args",
            "no branch is checked out, but gates need one to check",
            "run `git switch BRANCH` (you can edit the checkout without a branch)",
        )
    target = ws.at(ws.repo.branch())
    with recovery.hold_lock(ws):
        tree = uncommitted.write_contents(ws.repo)
    files = diff_trees(ws, target.snapshot.tree, tree)
    if not files:
        raise DoesNotFit("no_change", "the checkout has no uncommitted changes", "edit a file first")
    static_gates.require_no_new_markers(ws.repo, files)
    meta = new_meta(ws, target, "The checkout", by=(ws.user(),))
    with staging.hold_refs(ws, new_change(ws, tree, meta, files)) as staged:
        yield staged
        staging.forget(ws, staged.refresh(ws))


def take(ws: Workspace, staged: Change, names: Sequence[str]) -> tuple[Change, Result]:
    """Adopt uncommitted changes of files and directories, on the current tip of the branch.

    After the landing, an adopted file that has not been edited since counts as unchanged. Return the
    transaction with the changes, and the result of these changes alone.

    Raises:
        WorldMoved: ``merge_conflict``: the transaction has changed the same places.
        ScalpelError: as for :func:`gitscalpel.landing.staging.adopt_changes`.
    """
    staged = rebase_onto_tip(ws, staged)
    target = ws.at(staged.meta.branch)
    before = ws.store.tree_of(staged.meta.adopted) or target.snapshot.tree
    commit, tree, words = staging.adopt_changes(ws, target, names, before)
    merged = merge_changes(ws, before, staged.tree(ws), tree)
    if merged.tree is None:
        raise WorldMoved(
            "merge_conflict",
            f"{staged.id} has changed the same places: {merged.words}",
            f"first run {call('land', tx=staged.id)}, or edit one of the two",
            **merged.data,
        )
    now = msgspec.structs.replace(staged, meta=staged.meta.but(adopted=commit, taken=words))
    with staging.update_worktree(ws, staged, merged.tree):
        return staging.stage_tree(ws, now, merged.tree, words)
