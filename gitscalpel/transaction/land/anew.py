"""What somebody has sent, on what its branch has become since: the same change, or its operations again."""

from __future__ import annotations

import msgspec

from gitscalpel.errors import WorldMoved
from gitscalpel.git import oplog
from gitscalpel.phrases import call
from gitscalpel.requests import Changeset
from gitscalpel.snapshot import Oid
from gitscalpel.transaction.candidate import C, refuse_nothing
from gitscalpel.transaction.check import judging
from gitscalpel.transaction.rebase.onto import onto
from gitscalpel.transaction.result import REMEMBERED
from gitscalpel.transaction.stage import staging
from gitscalpel.workspace import TreeTarget, Workspace


class Sent(msgspec.Struct, frozen=True):
    """What somebody has sent.

    Attributes:
        changeset: it.
        log: the newest step of the operation log when it came.
    """

    changeset: Changeset
    log: Oid | None


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
    """
    refuse_repeated(ws, sent)
    if change.meta.base != target.tip:
        try:
            change = change.revised(ws, *onto(ws, change, target, merging=False))
        except WorldMoved as moved:
            if moved.code != "target_moved":
                raise
            seen = staging.as_seen(ws.snapshot(change.meta.base), sent.changeset)
            change = staging.rebuild(ws, seen, target, change)
    refuse_nothing(change)
    return judging.ready(ws, change)


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
