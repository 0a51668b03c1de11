"""Bound the disk use of a repository by all means; `workspace/auto_gc.py` has the quick ones.

Each concern takes a lock only while it works: nothing slow runs under the lock that a landing or lease
waits for. All can be killed anywhere and run again.
"""

from __future__ import annotations

import msgspec

from gitscalpel.git.gc import repack, sweep
from gitscalpel.git.gc.repack import Count
from gitscalpel.git.gc.sweep import Item
from gitscalpel.git.user_cache import POOL_LOCK
from gitscalpel.system import repo_lock
from gitscalpel.transaction import recovery
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
    days, free = sweep.keep_days(ws.repo), sweep.pool_size(ws.repo)
    before = repack.count(ws.repo)
    with repo_lock.hold(ws.repo.scalpel_dir) if dry_run else recovery.locked(ws):
        items = [*sweep.expire_refs(ws.repo, days, dry_run=dry_run)]
        items += sweep.sweep_scalpel_dir(ws.repo.scalpel_dir, quarantine=quarantine, dry_run=dry_run)
        if not dry_run:
            repack.pack_refs(ws.repo)
    items += sweep.sweep_result_cache(ws.repo, dry_run=dry_run)
    items += sweep.trim_pool(ws.repo, ws.store, free, dry_run=dry_run)
    with repo_lock.hold(ws.repo.scalpel_dir, name=POOL_LOCK):
        items += sweep.sweep_orphans(ws.repo, ws.store, dry_run=dry_run)
    if not dry_run:
        items += repack.collect(ws.repo)
    return Swept(tuple(items), before, repack.count(ws.repo), dry_run)
