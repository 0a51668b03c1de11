"""Does what is asked for, once: a request whose id has been seen is answered with what became of it."""

from __future__ import annotations

from gitscalpel.errors import ScalpelError
from gitscalpel.git import refs
from gitscalpel.requests import Request
from gitscalpel.transaction import result
from gitscalpel.transaction.land import healing
from gitscalpel.transaction.land.patience import trying
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.shadow import OpenTransaction
from gitscalpel.transaction.stage import staging
from gitscalpel.workspace import Workspace

_RACED = ("tx_closed", "tx_not_found", "target_moved")
"""What somebody hears whose transaction another one lands, or drops, at the same moment."""


def apply(
    ws: Workspace, request: Request, onto: str | None, *, dry_run: bool, land: bool, wait: float
) -> Result:
    """Do a changeset as a whole transaction.

    Args:
        ws: where.
        request: what to do.
        onto: the branch; None: the one that is checked out.
        dry_run: only try it.
        land: else it stays staged.
        wait: see :func:`gitscalpel.transaction.land.at_once.perform`.

    Raises:
        ScalpelError: the first refusal; then nothing has happened.
    """
    try:
        return _done(ws, request, onto, dry_run=dry_run, land=land, wait=wait)
    except ScalpelError as error:
        if not request.request_id or dry_run:
            raise
        # Who asks for the same at the same moment may have been faster, or be so just now.
        branch = ws.repo.branch(onto)
        landed = result.earlier(ws, request, branch)
        if error.code in _RACED and not isinstance(landed, Result):
            from gitscalpel.transaction.land import ending

            with ending.turn(ws, branch):
                landed = result.earlier(ws, request, branch)
        if isinstance(landed, Result):
            return landed
        raise


def _done(
    ws: Workspace, request: Request, onto: str | None, *, dry_run: bool, land: bool, wait: float
) -> Result:
    if not dry_run:
        healing.heal(ws)
    log = ws.store.resolve(refs.OPS)
    before = result.earlier(ws, request, ws.repo.branch(onto)) if request.request_id else None
    if isinstance(before, Result):
        return before
    if before is not None:
        # What others have put into it does not land for this.
        lands = land and not dry_run and before.meta.whole
        return _landed(ws, before, wait) if lands else result.of(before)
    if dry_run:
        return staging.try_out(ws, request, ws.target(onto))
    if not land:
        target = ws.target(onto)
        return result.of(staging.opened(ws, staging.build(ws, request, target), target))
    from gitscalpel.transaction.land import at_once  # who only tries something needs nothing of landing

    return at_once.perform(ws, request, onto, wait, log)


def _landed(ws: Workspace, staged: OpenTransaction, wait: float) -> Result:
    from gitscalpel.transaction.land import ending

    return trying(lambda: ending.land(ws, staged.refreshed(ws)), wait)
