"""Finds what killed processes, copies and moves left of worktrees of the pool.

Half of one is there: git's record without the folder, the folder without git's record, or both
without ours. A folder's contents are kept as a ref before it goes; a folder that another repository
names is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gitscalpel.errors import ScalpelError
from gitscalpel.git import refs, uncommitted
from gitscalpel.git.pool import place, records, removal, slot
from gitscalpel.git.pool.slot import Slot
from gitscalpel.git.pool.worktree import keep
from gitscalpel.git.repository import Repository
from gitscalpel.git.store import Store
from gitscalpel.git.upkeep.item import Item, size
from gitscalpel.system import private_files
from gitscalpel.system.failpoint import step

NOT_YOURS = "its record was not written by you here; it is left alone"
"""Why one stays that ``git worktree remove`` takes away."""


def sweep(repo: Repository, store: Store, *, dry_run: bool = False) -> Iterator[Item]:
    """Remove what belongs to no worktree of the pool any more; hold the pool's lock."""
    whole = {found.git_dir for found in records.slots(repo)}
    open_now = refs.transactions(repo)
    pool = _folders(repo)
    recorded = [*records.recorded(repo)]
    for found in recorded:
        copied = slot.is_copied(found)
        if found.state is None and found.state_file.exists() and not copied:
            yield Item("worktree", str(found.root), NOT_YOURS, removed=False)
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
    every = place.place_of_pools(repo).glob(f"*-{place.digest(repo)}/*/*")
    return sorted(root for root in every if root.parent.name.isdigit() and not root.is_symlink())


def _is_in_pool(repo: Repository, root: Path) -> bool:
    """Whether a folder, which may be gone, is one of those."""
    folder = root.parent.parent
    mine = folder.parent == place.place_of_pools(repo) and folder.name.endswith(place.digest(repo))
    return mine and root.parent.name.isdigit()


def _swept(repo: Repository, store: Store, found: Slot, dry_run: bool) -> Item:
    """Remove a worktree of which git's record is there."""
    linked = slot.is_linked(found)
    why = "made, but never used" if linked else "its folder is gone, or another repository's"
    takes = size(found.git_dir) + (size(found.root) if linked else 0)
    if dry_run:
        return Item("worktree", str(found.root), why, bytes=takes)
    try:
        kept = removal.discard(repo, store, found)
    except (ScalpelError, OSError) as error:
        return Item("worktree", str(found.root), f"what is in it cannot be kept: {error}", removed=False)
    return Item("worktree", str(found.root), why, bytes=takes, kept=kept)


def _unknown(repo: Repository, store: Store, root: Path, dry_run: bool) -> Item:
    """Remove a folder of the pool that git has no record of."""
    why, takes = "no repository knows it", size(root)
    if _has_owner(root):
        return Item("worktree", str(root), "another repository's", removed=False)
    if dry_run:
        return Item("worktree", str(root), why, bytes=takes)
    here = repo.standing_in(repo.common_dir, root)
    try:
        kept = None
        if slot.has_files(root):
            kept = keep(here, store, root, uncommitted.contents(here))
        step()
        private_files.remove(root)
    except (ScalpelError, OSError) as error:
        return Item("worktree", str(root), f"what is in it cannot be kept: {error}", removed=False)
    return Item("worktree", str(root), why, bytes=takes, kept=kept)


def _has_owner(root: Path) -> bool:
    try:
        return (root / ".git").is_dir() or slot.linked_from(root).exists()
    except OSError:
        return False
