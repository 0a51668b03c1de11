"""Gives up a transaction of which half is gone: its record or its commit cannot be read, or has no ref."""

from __future__ import annotations

from gitscalpel.changesets.answers import Facts
from gitscalpel.changesets.file_tree import Changes
from gitscalpel.errors import DoesNotFit
from gitscalpel.errors.messages import call
from gitscalpel.git import oplog, refs
from gitscalpel.git.oplog import Record
from gitscalpel.git.refs import META, RefUpdate
from gitscalpel.transaction.land import healing
from gitscalpel.transaction.result import Result
from gitscalpel.workspace import Workspace


def drop(ws: Workspace, prefix: str) -> Result:
    """Take away what is left of it; its commit is kept for a while, if that is there.

    Args:
        ws: where.
        prefix: the id, or its first characters.

    Raises:
        DoesNotFit: ``tx_not_found``.
    """
    tx = _find(ws, prefix)
    with healing.locked(ws):
        now = refs.values(ws.repo, [refs.TX + tx, META + tx])
        updates = [RefUpdate(ref, oid, None) for ref, oid in now.items()]
        head = now.get(refs.TX + tx)
        if head is not None and not ws.holds(head):
            head = None
        if head is not None:
            updates.append(RefUpdate(refs.KEEP + tx, None, head))
        words = "what was left of it could not be read"
        record = Record(kind="drop", tx=tx, **ws.hand(), message=words)
        oplog.append(ws.repo, ws.store, record, updates)
    return Result(
        tx=tx, state="dropped", branch="", message=words, base=None, head=head, files=Changes(), facts=Facts()
    )


def _find(ws: Workspace, prefix: str) -> str:
    wanted = refs.bare_id(prefix)
    names = refs.values(ws.repo, [refs.TX, META])
    found = {name.rsplit("/", 1)[1] for name in names}
    found = {tx for tx in found if len(wanted) >= refs.SHORTEST and tx.startswith(wanted)}
    if len(found) != 1:
        raise DoesNotFit(
            "tx_not_found",
            f"{'several transactions begin' if found else 'no transaction begins'} with {prefix!r}",
            f"{call('fsck')} names those that are damaged",
        )
    return found.pop()
