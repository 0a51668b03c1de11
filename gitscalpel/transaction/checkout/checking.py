"""Every gate judges what the checkout would make if all of it were committed: programs and people as well."""

from __future__ import annotations

from contextlib import AbstractContextManager

import msgspec

from gitscalpel.changesets.answers import CHECKOUT, Fixes
from gitscalpel.changesets.operations import Patch
from gitscalpel.errors import BadCall, DoesNotFit, ScalpelError
from gitscalpel.git import uncommitted
from gitscalpel.transaction import result
from gitscalpel.transaction.candidate import candidate
from gitscalpel.transaction.check import judging, reading
from gitscalpel.transaction.checkout.steps import refuse_elsewhere
from gitscalpel.transaction.diagnostics import fixes
from gitscalpel.transaction.land import ending, healing
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.shadow import OpenTransaction, changed
from gitscalpel.transaction.stage.begun import begun
from gitscalpel.workspace import Workspace


def check(ws: Workspace, *, fresh: bool = False) -> Result:
    """Let every gate judge the files of the checkout, tracked or not, as a change of its branch.

    Args:
        ws: where.
        fresh: run also those commands again whose verdict on this very tree is known.

    Raises:
        BadCall: ``invalid_args``: no branch is checked out.
        DoesNotFit: ``no_change``, or ``conflicted``: a file has conflict markers.
        GateRefused: the first refusal.
    """
    try:
        with _held(ws) as staged:
            judged = judging.check(ws, staged, fresh=fresh, fix=False)
            done = result.of(judged)
            ending.forget(ws, judged.refreshed(ws))
    except ScalpelError as error:
        raise error.alone() from error
    return msgspec.structs.replace(done, tx=None, head=None, branch=CHECKOUT)


def offered_fixes(ws: Workspace, *, fresh: bool = False) -> Fixes:
    """Return what servers and linters find new in the checkout, with the fixes that they offer.

    Raises:
        ScalpelError: as for :func:`check`.
    """
    with _held(ws) as staged:
        found = fixes.offered(ws, staged, fresh=fresh)
        ending.forget(ws, staged.refreshed(ws))
    return found


def chosen_fix(ws: Workspace, number: int, *, fresh: bool = False) -> Patch:
    """Return the edit that one of these fixes is.

    Raises:
        ScalpelError: as for :func:`check`, or ``index_out_of_range``.
    """
    with _held(ws) as staged:
        found = fixes.chosen(ws, staged, number, fresh=fresh)
        ending.forget(ws, staged.refreshed(ws))
    return found


def _held(ws: Workspace) -> AbstractContextManager[OpenTransaction]:
    """Hold the files of the checkout as a change of its branch."""
    refuse_elsewhere(ws)
    if ws.repo.head is None:
        raise BadCall(
            "invalid_args",
            "no branch is checked out, and gates judge what a branch is to hold",
            "check out a branch; edits of the checkout need none",
        )
    target = ws.at(ws.repo.branch())
    with healing.locked(ws):
        tree = uncommitted.contents(ws.repo)
    files = changed(ws, target.snapshot.tree, tree)
    if not files:
        raise DoesNotFit("no_change", "the checkout is as its branch has it", "there is nothing to judge")
    reading.refuse_markers(ws.repo, files)
    meta = begun(ws, target, "The checkout")
    return ending.held(ws, candidate(ws, tree, meta, files))
