"""Limit the disk use of a repository, thoroughly; `workspace/pruning.py` has the quick ways.

Nothing slow runs under a lock that a landing or lease waits for. All can be killed at any time and run again.
"""

from __future__ import annotations

import msgspec

from gitscalpel.git.user_cache import POOL_LOCK
from gitscalpel.system import repo_lock
from gitscalpel.transaction import recovery
from gitscalpel.workspace import pruning
from gitscalpel.workspace.pruning import Count, Item
from gitscalpel.workspace.workspace import Workspace


class Swept(msgspec.Struct, frozen=True):
    """Result of a collection; in a dry run, the expected result.

    Attributes:
        items: removed items, and items that stay although they could go, with the reason.
        before, after: sizes of the object directory.
    """

    items: tuple[Item, ...]
    before: Count
    after: Count
    dry_run: bool = False

    @property
    def freed(self) -> int:
        """Return the freed bytes. Content kept under a ref has enlarged the object directory."""
        return sum(item.bytes for item in self.items if item.removed) + self.before.bytes - self.after.bytes


def gc(ws: Workspace, *, dry_run: bool = False, quarantine: bool = False) -> Swept:
    """Remove what is no longer needed, and pack the rest.

    A dry run cannot tell the effect of packing. With ``quarantine`` old quarantined files are removed too.

    Raises:
        TryAgain: ``busy``: a process holds a lock, and its queue does not move.
        Misconfigured: ``config_error``.
    """
    days, free = pruning.keep_days(ws.repo), pruning.pool_size(ws.repo)
    before = pruning.count_objects(ws.repo)
    with repo_lock.hold_lock(ws.repo.scalpel_dir) if dry_run else recovery.hold_lock(ws):
        items = [*pruning.expire_refs(ws.repo, days, dry_run=dry_run)]
        items += pruning.sweep_scalpel_dir(ws.repo.scalpel_dir, quarantine=quarantine, dry_run=dry_run)
        if not dry_run:
            pruning.pack_refs(ws.repo)
    items += pruning.sweep_result_cache(ws.repo, dry_run=dry_run)
    items += pruning.trim_pool(ws.repo, ws.store, free, dry_run=dry_run)
    with repo_lock.hold_lock(ws.repo.scalpel_dir, name=POOL_LOCK):
        items += pruning.sweep_orphans(ws.repo, ws.store, dry_run=dry_run)
    if not dry_run:
        items += pruning.collect_garbage(ws.repo)
    return Swept(tuple(items), before, pruning.count_objects(ws.repo), dry_run)
