"""Remove worktrees of the pool: keep their contents first, and finish what a kill interrupted."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git import scratch
from gitscalpel.git.cache_location import POOL_LOCK
from gitscalpel.git.object_store import Store
from gitscalpel.git.pool.slots import Slot, find_worktrees, has_files, is_linked
from gitscalpel.git.pool.worktree import Worktree, keep
from gitscalpel.git.repository import Repository
from gitscalpel.git.scratch import Scratch
from gitscalpel.system import private_files, repo_lock
from gitscalpel.system.failpoint import step

MAKING = "worktree"
"""The note of which worktree is being made."""
_REMOVING, _RECORD = "worktree.removing", "worktree.record"
_OF_A_KILLED_GIT = ("index.lock", "HEAD.lock", "index.new", "index.new.lock", "index.lock.new")
"""What may be left in a slot; it is nobody's when it is removed."""


def keep_left(worktree: Worktree, announce: Callable[[str], None]) -> str | None:
    """Hold what somebody left in a slot that is nobody's now; the ref, if there was anything."""
    for name in _OF_A_KILLED_GIT:
        private_files.remove(worktree.repo.git_dir / name)
    kept = worktree.keep()
    if kept is not None:
        announce(f"what was left in {worktree.root} is kept as {kept}")
    return kept


def discard(repo: Repository, store: Store, found: Slot) -> str | None:
    """Remove a worktree of the pool that is no slot: killed before it became one, or without its folder.

    Returns:
        the ref that keeps what was in it, or staged or committed there, if anything was.
    """
    from gitscalpel.git import uncommitted

    kept = None
    if is_linked(found) and has_files(found.root):
        here = repo.standing_in(found.git_dir, found.root)
        kept = keep(here, store, found.root, uncommitted.contents(here))
    kept = _staged_in(repo, store, found) or kept
    retire(repo, found)
    return kept


def _staged_in(repo: Repository, store: Store, found: Slot) -> str | None:
    if found.state is None or found.state.tree is None:
        return None
    here = repo.standing_in(found.git_dir, found.root)
    result = here.git.run("write-tree")
    staged = found.state.tree if result.status else Oid(result.out.decode("ascii").strip())
    if staged == found.state.tree and here.resolve("HEAD") in (None, found.state.base):
        return None
    return keep(here, store, found.root, staged)


def retire(repo: Repository, found: Slot) -> None:
    """Remove a worktree whose contents are kept: its record in one step, then its files, if they are its own.

    ``git worktree remove`` deletes one file of the record after the other, and whoever looks
    meanwhile, or after a kill, finds the repository damaged.
    """
    with scratch.made(repo.scalpel_dir) as notes:
        root = found.root if is_linked(found) else None
        if root is not None:
            notes.write(_REMOVING, os.fsencode(root))
        step()
        found.git_dir.rename(notes.path / _RECORD)
        private_files.sync(found.git_dir.parent)  # else a power cut may bring back what is emptied below
        with suppress(OSError):
            found.git_dir.parent.rmdir()  # as git does when it was the last one
        step()
        if root is not None:
            private_files.remove(root)


def finish(repo: Repository, store: Store, left: Scratch) -> list[str]:
    """Remove the worktree that was being made or removed when whoever left these notes was killed.

    Git refuses much in the whole repository while its record of a worktree is half written.

    Returns:
        what was done, in words.
    """
    making, removing = left.read(MAKING), left.read(_REMOVING)
    if not making and not removing:
        return []
    with repo_lock.attempt(repo_lock.path(repo.scalpel_dir, POOL_LOCK)) as pool:
        if pool is None:
            return []
        return [*_unmade(repo, store, making), *_removed(repo, left, removing)]


def _unmade(repo: Repository, store: Store, note: bytes) -> list[str]:
    root, said = Path(os.fsdecode(note)), []
    for found in find_worktrees(repo):
        if found.root == root and not found.state_file.exists():
            discard(repo, store, found)
            said.append(f"removed {root}, a worktree that was being made")
    return said


def _removed(repo: Repository, left: Scratch, note: bytes) -> list[str]:
    root = Path(os.fsdecode(note))
    if not (note and (left.path / _RECORD).exists() and root.exists()):
        return []
    if any(found.root == root for found in find_worktrees(repo)):
        return []  # somebody has made another one there since
    private_files.remove(root)
    return [f"removed {root}, a worktree that was being removed"]
