"""Lets go of undone and dropped commits, snapshots, and bytes of the disk, that were kept long enough."""

from __future__ import annotations

import time
from collections.abc import Iterator

from gitscalpel.failpoint import step
from gitscalpel.git import oplog, ref_transaction, refs
from gitscalpel.git.refs import DISK, KEEP, SNAPSHOT, RefUpdate
from gitscalpel.git.repository import Repository
from gitscalpel.git.upkeep.item import DAY, Item

_DATED = (f"{KEEP}worktree-", SNAPSHOT)
"""What was left in a worktree, and snapshots: no steps of the log, the commits were written to be kept."""


def expire(repo: Repository, days: int, *, dry_run: bool = False) -> Iterator[Item]:
    """Delete what :data:`KEEP`, :data:`DISK` and :data:`SNAPSHOT` have held for ``days``; hold the lock.

    The age is that of the step (the commit may be much older). One that neither the log nor its own
    commit dates stays.
    """
    found = refs.values(repo, [KEEP, DISK, SNAPSHOT])
    since = {**_logged(repo, {name for name in found if not name.startswith(_DATED)}), **_dated(repo)}
    now = time.time()
    old = {name: oid for name, oid in found.items() if name in since and since[name] < now - days * DAY}
    if old and not dry_run:
        updates = [RefUpdate(name, oid, None) for name, oid in old.items()]
        step()
        ref_transaction.update(repo, updates, "scalpel: expire what was kept")
    for name in old:
        yield Item("ref", name, f"kept for {int((now - since[name]) / DAY)} days")
    for name in found.keys() - since.keys():
        yield Item("ref", name, "the operation log does not say how old it is", removed=False)


def _logged(repo: Repository, wanted: set[str]) -> dict[str, float]:
    """When the newest step of each kept transaction was; the log is read no further than needed."""
    since: dict[str, float] = {}
    if not wanted:
        return since
    for entry in oplog.read(repo):
        for name in wanted.intersection({KEEP + entry.record.tx, DISK + entry.record.tx}):
            since.setdefault(name, entry.record.time)
        if len(since) == len(wanted):
            break
    return since


def _dated(repo: Repository) -> dict[str, float]:
    names = (f"{_DATED[0]}*", SNAPSHOT)
    rows = repo.git("for-each-ref", "--format=%(refname) %(committerdate:unix)", *names).decode()
    pairs = (row.split(" ") for row in rows.splitlines())
    return {name: float(date) for name, date in pairs if date}
