"""Whose a change is: they cannot agree to it themselves."""

from __future__ import annotations

from gitscalpel.git.oplog import mail_address
from gitscalpel.transaction.candidate import Candidate
from gitscalpel.workspace import Workspace


def authors(ws: Workspace, change: Candidate) -> set[str]:
    """The addresses of all who have put something into it, and whose commits it is going to land."""
    own = [ws.store.commit(oid).author for oid in (change.head, change.meta.adopted) if oid is not None]
    return set(map(mail_address, (*change.meta.by, *own)))
