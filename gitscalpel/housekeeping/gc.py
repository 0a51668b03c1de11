"""Bounds what editing leaves in a repository, with every means; ``tidy.py`` has the quick ones.

Each concern holds a lock only while it works: nothing that takes long is done under the lock that
a landing or a lease waits for. All of it can be killed anywhere and done again.
"""

from __future__ import annotations

import msgspec

from gitscalpel.git.pool.place import POOL_LOCK
from gitscalpel.git.upkeep import answers, keeps, leftovers, limits, objects, orphans, pool
from gitscalpel.git.upkeep.item import Item
from gitscalpel.git.upkeep.objects import Count
from gitscalpel.system import repo_lock
from gitscalpel.transaction.land import healing
from gitscalpel.workspace import Workspace


class Swept(msgspec.Struct, frozen=True):
    """What a sweep did, or in a dry run would do.

    Attributes:
        items: what was removed, and what stays though it could have gone, with the reason.
        before, after: the object folder.
        dry_run: nothing was changed.
    """

    items: tuple[Item, ...]
    before: Count
    after: Count
    dry_run: bool = False

    @property
    def freed(self) -> int:
        """Bytes; what was kept as a ref has made the object folder grow."""
        return sum(item.bytes for item in self.items if item.removed) + self.before.bytes - self.after.bytes


def gc(ws: Workspace, *, dry_run: bool = False, quarantine: bool = False) -> Swept:
    """Remove what nobody needs any more, and pack what stays.

    Args:
        ws: where.
        dry_run: say what would be done, and change nothing. (What packing would free is not known then.)
        quarantine: remove old files that recovery had set aside.

    Raises:
        TryAgain: ``busy``: somebody holds a lock, and nothing moves in its line.
        Misconfigured: ``config_error``.
    """
    days, free = limits.keep_days(ws.repo), limits.pool_size(ws.repo)
    before = objects.count(ws.repo)
    with repo_lock.hold(ws.repo.scalpel_dir) if dry_run else healing.locked(ws):
        items = [*keeps.expire(ws.repo, days, dry_run=dry_run)]
        items += leftovers.sweep(ws.repo.scalpel_dir, quarantine=quarantine, dry_run=dry_run)
        if not dry_run:
            objects.pack_refs(ws.repo)
    items += answers.sweep(ws.repo, dry_run=dry_run)
    items += pool.trim(ws.repo, ws.store, free, dry_run=dry_run)
    with repo_lock.hold(ws.repo.scalpel_dir, name=POOL_LOCK):
        items += orphans.sweep(ws.repo, ws.store, dry_run=dry_run)
    if not dry_run:
        items += objects.collect(ws.repo)
    return Swept(tuple(items), before, objects.count(ws.repo), dry_run)
