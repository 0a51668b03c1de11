"""What somebody has sent, on what its branch has become since: the same change, or its operations again."""

from __future__ import annotations

from gitscalpel.errors import WorldMoved
from gitscalpel.errors.messages import call
from gitscalpel.git import oplog
from gitscalpel.transaction.candidate import C, refuse_nothing
from gitscalpel.transaction.check import judging
from gitscalpel.transaction.land.unbuilt import is_unbuilt
from gitscalpel.transaction.land.wishes import Sent
from gitscalpel.transaction.rebase.onto import onto
from gitscalpel.transaction.result import REMEMBERED
from gitscalpel.transaction.stage import building
from gitscalpel.workspace import TreeTarget, Workspace


def anew(ws: Workspace, sent: Sent, change: C, target: TreeTarget) -> C:
    """The change on a target, passed by every gate but people.

    Where others have changed its files, the operations are done again: what they address is found there,
    unless it is itself no longer what it was.

    Args:
        ws: where.
        sent: what the change is made of.
        change: as it was built before.
        target: the branch as it is, or is about to be.

    Raises:
        WorldMoved: ``stale``.
        ScalpelError: what an operation or a gate says.
        TakesLong: it was to be built in a moment.
    """
    refuse_repeated(ws, sent)
    if is_unbuilt(change):
        change = _built(ws, sent, change, target, briefly=True)
    elif change.meta.base != target.tip:
        try:
            change = onto(ws, change, target, merging=False).of(ws, change)
        except WorldMoved as moved:
            if moved.code != "target_moved":
                raise
            change = _built(ws, sent, change, target)
    refuse_nothing(change)
    return judging.ready(ws, change)


def _built(ws: Workspace, sent: Sent, change: C, target: TreeTarget, *, briefly: bool = False) -> C:
    """All operations done to the target, as far as what they address is what was seen."""
    changeset = sent.changeset
    if change.meta.base != target.tip:
        changeset = building.as_seen(ws.snapshot(change.meta.base), changeset)
    return building.rebuild(ws, changeset, target, change, briefly=briefly)


def refuse_repeated(ws: Workspace, sent: Sent) -> None:
    """Refuse what has landed since it was sent, for somebody who asked for the same.

    Raises:
        WorldMoved: ``stale``.
    """
    request = sent.changeset.request_id
    for entry in oplog.since(ws.store, sent.log, REMEMBERED) if request else ():
        if entry.record.kind == "land" and request in entry.record.request_ids:
            words = f"{call('log')} shows it"
            raise WorldMoved("stale", "the same request has just landed", words, tx=entry.record.tx)
