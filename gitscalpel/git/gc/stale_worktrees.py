"""Remove unneeded worktrees of the pool: surplus or unused free slots, and those of killed processes.

Manual changes in a slot are first kept as a commit under a ref. A slot for which that fails is left and
reported.

Killed processes, copies and moves leave half a worktree: git's record without the directory, the
directory without git's record, or both without our record. A directory that another repository names is
left alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec

from gitscalpel.errors import ScalpelError
from gitscalpel.git import cache_location, refs, uncommitted
from gitscalpel.git.gc.swept_item import DAY, Item, disk_usage
from gitscalpel.git.object_store import Store
from gitscalpel.git.pool import removal, slots
from gitscalpel.git.pool.slots import Slot
from gitscalpel.git.pool.worktree import Worktree, keep
from gitscalpel.git.repository import Repository
from gitscalpel.system import private_files
from gitscalpel.system.failpoint import step

UNUSED_DAYS = 14


def trim_pool(
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
    every = slots.find_slots(repo)
    open_now = refs.transactions(repo) if every else {}
    found = [slot for slot in every if slots.is_free(slot, open_now)]
    return sorted(((_used(slot), slot) for slot in found), key=lambda pair: (pair[0], pair[1].root))


def _used(slot: Slot) -> float:
    try:
        return slot.state_file.stat().st_mtime
    except OSError:
        return 0


def _removed(repo: Repository, store: Store, slot: Slot, why: str, dry_run: bool) -> Item:
    name, takes = str(slot.root), disk_usage(slot.root) + disk_usage(slot.git_dir)
    if (slot.git_dir / "locked").exists():
        return Item("worktree", name, "locked with git worktree lock", removed=False)
    if dry_run:
        return Item("worktree", name, why, bytes=takes)
    try:
        with ExitStack() as held:
            worktree = Worktree(repo, slot, store, slots.lock_slot(slot, held))
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


FOREIGN_RECORD = "its record was not written by you here; it is left alone"
"""Why one stays that ``git worktree remove`` takes away."""


def sweep_orphans(repo: Repository, store: Store, *, dry_run: bool = False) -> Iterator[Item]:
    """Remove what belongs to no worktree of the pool any more; hold the pool's lock."""
    whole = {found.git_dir for found in slots.find_slots(repo)}
    open_now = refs.transactions(repo)
    pool = _folders(repo)
    recorded = [*slots.find_worktrees(repo)]
    for found in recorded:
        copied = slots.is_copied(found)
        if found.state is None and found.state_file.exists() and not copied:
            yield Item("worktree", str(found.root), FOREIGN_RECORD, removed=False)
            continue
        ours = found.state is not None or copied or _is_in_pool(repo, found.root)
        leased = found.leased_by in open_now
        # Of an open transaction the next lease takes care: the folder may be on a disk that comes back.
        if ours and not leased and found.git_dir not in whole:
            yield _swept(repo, store, found, dry_run)
    known = {found.root for found in recorded}
    for root in pool:
        if root not in known:
            yield _unknown(repo, store, root, dry_run)


def _folders(repo: Repository) -> list[Path]:
    """The roots in this repository's pool folders."""
    every = cache_location.pools_directory(repo).glob(f"*-{cache_location.repository_digest(repo)}/*/*")
    return sorted(root for root in every if root.parent.name.isdigit() and not root.is_symlink())


def _is_in_pool(repo: Repository, root: Path) -> bool:
    """Whether a folder, which may be gone, is one of those."""
    folder = root.parent.parent
    mine = folder.parent == cache_location.pools_directory(repo) and folder.name.endswith(
        cache_location.repository_digest(repo)
    )
    return mine and root.parent.name.isdigit()


def _swept(repo: Repository, store: Store, found: Slot, dry_run: bool) -> Item:
    """Remove a worktree of which git's record is there."""
    linked = slots.is_linked(found)
    why = "made, but never used" if linked else "its folder is gone, or another repository's"
    takes = disk_usage(found.git_dir) + (disk_usage(found.root) if linked else 0)
    if dry_run:
        return Item("worktree", str(found.root), why, bytes=takes)
    try:
        kept = removal.discard(repo, store, found)
    except (ScalpelError, OSError) as error:
        return Item("worktree", str(found.root), f"what is in it cannot be kept: {error}", removed=False)
    return Item("worktree", str(found.root), why, bytes=takes, kept=kept)


def _unknown(repo: Repository, store: Store, root: Path, dry_run: bool) -> Item:
    """Remove a folder of the pool that git has no record of."""
    why, takes = "no repository knows it", disk_usage(root)
    if _has_owner(root):
        return Item("worktree", str(root), "another repository's", removed=False)
    if dry_run:
        return Item("worktree", str(root), why, bytes=takes)
    here = repo.standing_in(repo.common_dir, root)
    try:
        kept = None
        if slots.has_files(root):
            kept = keep(here, store, root, uncommitted.contents(here))
        step()
        private_files.remove(root)
    except (ScalpelError, OSError) as error:
        return Item("worktree", str(root), f"what is in it cannot be kept: {error}", removed=False)
    return Item("worktree", str(root), why, bytes=takes, kept=kept)


def _has_owner(root: Path) -> bool:
    try:
        return (root / ".git").is_dir() or slots.linked_git_dir(root).exists()
    except OSError:
        return False
