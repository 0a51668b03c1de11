"""Bounds the pool of worktrees: free slots beyond so many, or unused for long, go.

What was left in one by hand is kept as a ref first; one where that cannot be done stays and is named.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec

from gitscalpel.errors import ScalpelError
from gitscalpel.git import refs
from gitscalpel.git.pool import records, removal
from gitscalpel.git.pool.slot import Slot
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.git.repository import Repository
from gitscalpel.git.store import Store
from gitscalpel.git.upkeep.item import DAY, Item, size

UNUSED_DAYS = 14


def trim(
    repo: Repository, store: Store, free: int, *, days: int = UNUSED_DAYS, dry_run: bool = False
) -> Iterator[Item]:
    """Remove free slots but the ``free`` last used, and all unused for ``days``.

    No lock is needed but each slot's own: a slot is free once its transaction has ended, for good.
    """
    now = time.time()
    for rank, (used, slot) in enumerate(reversed(_free(repo))):
        if rank >= free:
            yield _removed(repo, store, slot, f"more than {free} are free", dry_run)
        elif now - used > days * DAY:
            yield _removed(repo, store, slot, f"unused for {int((now - used) / DAY)} days", dry_run)


def _free(repo: Repository) -> list[tuple[float, Slot]]:
    """The slots whose transactions have ended, with the times they were last used, in that order."""
    slots = records.slots(repo)
    open_now = refs.transactions(repo) if slots else {}
    found = [slot for slot in slots if records.is_free(slot, open_now)]
    return sorted(((_used(slot), slot) for slot in found), key=lambda pair: (pair[0], pair[1].root))


def _used(slot: Slot) -> float:
    try:
        return slot.state_file.stat().st_mtime
    except OSError:
        return 0


def _removed(repo: Repository, store: Store, slot: Slot, why: str, dry_run: bool) -> Item:
    name, takes = str(slot.root), size(slot.root) + size(slot.git_dir)
    if (slot.git_dir / "locked").exists():
        return Item("worktree", name, "locked with git worktree lock", removed=False)
    if dry_run:
        return Item("worktree", name, why, bytes=takes)
    try:
        with ExitStack() as held:
            worktree = Worktree(repo, slot, store, records.locked(slot, held))
            now = msgspec.structs.replace(slot, state=worktree.state)
            if now.leased_by in refs.transactions(repo):
                return Item("worktree", name, "it has just been leased", removed=False)
            kept = removal.keep_left(worktree, lambda _: None)
            removal.retire(repo, slot)
    except (ScalpelError, OSError) as error:
        return Item("worktree", name, f"what is in it cannot be kept: {error}", removed=False)
    _remove_number(slot.root.parent)
    return Item("worktree", name, why, bytes=takes, kept=kept)


def _remove_number(folder: Path) -> None:
    """The numbered folder around a root, if it is ours and empty now."""
    try:
        if folder.name.isdigit():
            folder.rmdir()
    except OSError:
        pass
