"""Lease a slot of the pool, and make its worktree in one step where there is none.

A slot belongs to the open transaction that leased it. A file lock, inherited by children in case of a
kill, marks the process that works in it; slots for gates have only the lock. Nothing that git does not
contain is overwritten: manual changes are kept as a commit, and a slot for which that fails is left
alone.

``git worktree add --detach --no-checkout`` writes the record file by file and syncs none of them. After
a power cut one may be empty, and then every git in the repository fails, since each reads the records of
all worktrees. Here the record appears in one step. Where anything is unusual, git makes it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import Misconfigured, ScalpelError
from gitscalpel.git import cache_location, refs, scratch
from gitscalpel.git.object_store import Store
from gitscalpel.git.pool import slots
from gitscalpel.git.pool.removal import MAKING, discard, keep_left, retire
from gitscalpel.git.pool.slots import Slot, SlotState, linked_git_dir
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.git.repository import Repository
from gitscalpel.git.scratch import Scratch
from gitscalpel.system import private_files, repo_lock, seal, serialization
from gitscalpel.system.failpoint import step

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
"""Of a record; git changes what could be no part of a ref."""
_UNUSUAL = (
    "extensions.worktreeconfig",
    "extensions.refstorage",
    "extensions.relativeworktrees",
    "worktree.userelativepaths",
)
_FOLDER = "linked"


def link_worktree(repo: Repository, root: Path, commit: Oid, notes: Scratch) -> bool:
    """Make a worktree without files, whose head is ``commit``; False: git has to.

    Args:
        repo: whose.
        root: its folder, which is not there yet.
        commit: its head.
        notes: where the record is put together, on the same disk.
    """
    if any(repo.config.get(key) for key in _UNUSUAL) or not _NAME.fullmatch(root.name):
        return False
    records = repo.common_dir / "worktrees"
    private_files.make_folder(records)
    if not private_files.is_folder(records):
        return False
    record = _free_name(records, root.name)
    begun = notes.path / _FOLDER
    begun.mkdir()
    for name, content in _record_files(root, commit):
        private_files.write(begun / name, content, durable=True)
        private_files.adjust_permissions(begun / name)
    private_files.adjust_permissions(begun)
    private_files.sync(begun)
    step()
    root.mkdir()
    private_files.write(root / ".git", b"gitdir: " + os.fsencode(record) + b"\n", durable=True)
    for folder in (root, root.parent):
        private_files.sync(folder)
    step()
    begun.rename(record)
    for folder in (records, repo.common_dir):
        private_files.sync(folder)
    return True


def _record_files(root: Path, commit: Oid) -> tuple[tuple[str, bytes], ...]:
    """See gitrepository-layout(5)."""
    return (
        ("HEAD", commit.encode("ascii") + b"\n"),
        ("commondir", b"../..\n"),
        ("gitdir", os.fsencode(root / ".git") + b"\n"),
    )


def _free_name(records: Path, name: str) -> Path:
    """A name that no record has: the folder's own, with a number behind it if need be."""
    number = 0
    while os.path.lexists(records / f"{name}{number or ''}"):
        number += 1
    return records / f"{name}{number or ''}"


_UNKNOWN = 8
"""Worktrees in the pool that no call knows any more."""


@contextmanager
def lease(
    repo: Repository,
    store: Store,
    tx: str,
    commit: Oid,
    announce: Callable[[str], None],
    *,
    judges: bool = False,
) -> Iterator[Worktree]:
    """Hold the slot of transaction ``tx``: its own, a free one, or a new one.

    Args:
        repo: from where it is leased.
        store: where to keep what was left in a slot.
        tx: the transaction.
        commit: what a new one is made at.
        announce: told when a new one is made, which takes a while in a large repository, and what was kept.
        judges: one in which programs judge it, and that nobody was ever handed.

    Raises:
        TryAgain: ``busy``: another process works in the transaction's slot.
        Misconfigured: ``unavailable``: there would be more and more that nobody knows any more.
    """
    with ExitStack() as held:
        folder = os.path.relpath(repo.work_tree or repo.git_dir, repo.common_dir)
        wanted = SlotState(tx=tx, home=serialization.spelt(folder), judges=judges)
        # One at a time, so that nobody takes the same free slot, or a second one for the same transaction.
        with repo_lock.hold(repo.scalpel_dir, name=cache_location.POOL_LOCK) as pool:
            worktree = None if judges else _own(repo, store, tx, held, announce)
            worktree = worktree or _free_slot(repo, store, wanted, held, announce)
            if worktree is None:
                # Inherited, so that nobody takes a worktree for left over that a git is still making.
                making = msgspec.structs.replace(repo, git=repo.git.inheriting(pool))
                with scratch.made(repo.scalpel_dir) as notes:
                    made = _made(making, store, commit, announce, notes)
                    slot = msgspec.structs.replace(made, state=wanted)
                    worktree = Worktree(repo, slot, store, slots.lock_slot(slot, held))
                    worktree.claim(wanted)
        try:
            yield worktree
        finally:
            if judges and not seal.lasts() and worktree.repo.git_dir.is_dir():
                retire(repo, Slot(worktree.repo.git_dir, worktree.root, None))  # nobody would use it again


def _own(
    repo: Repository, store: Store, tx: str, held: ExitStack, announce: Callable[[str], None]
) -> Worktree | None:
    """The transaction's slot; where somebody was killed in it, what he left is kept."""
    slot = slots.find_slot(repo, tx)
    if slot is None:
        return None
    worktree = Worktree(repo, slot, store, slots.lock_slot(slot, held))
    worktree.unlock()
    if worktree.state is None or worktree.state.tree is None:
        keep_left(worktree, announce)
    return worktree


def _free_slot(
    repo: Repository, store: Store, wanted: SlotState, held: ExitStack, announce: Callable[[str], None]
) -> Worktree | None:
    """A slot that is nobody's now; what was left there is kept, and one where it cannot be is left."""
    open_now = {} if wanted.judges else refs.transactions(repo)  # nobody is handed those that judge
    for slot in slots.find_slots(repo):
        if slot.judges != wanted.judges or not slots.is_free(slot, open_now):
            continue
        with suppress(ScalpelError, OSError), ExitStack() as tried:
            worktree = Worktree(repo, slot, store, slots.lock_slot(slot, tried))
            keep_left(worktree, announce)
            worktree.claim(wanted)
            held.push(tried.pop_all())
            return worktree
    return None


def _made(
    repo: Repository, store: Store, commit: Oid, announce: Callable[[str], None], notes: Scratch
) -> Slot:
    """A new slot, without files yet."""
    folder, name = cache_location.pool_directory(repo)
    if not seal.lasts():
        _refuse_more(repo, folder)
    number = 1
    while (folder / str(number) / name).exists():
        number += 1
    root = folder / str(number) / name
    _tidied(repo, store, folder, root, announce)
    cache_location.make_directory(root.parent)
    announce(f"making a worktree in {root}; the first one of a large repository takes a while")
    notes.write(MAKING, os.fsencode(root))
    step()
    if not link_worktree(repo, root, commit, notes):
        repo.git("worktree", "add", "--detach", "--no-checkout", "-q", str(root), commit)
    return Slot(linked_git_dir(root), root, None)


def _refuse_more(repo: Repository, folder: Path) -> None:
    ours = (each for each in slots.find_worktrees(repo) if each.root.parent.parent == folder)
    unknown = [each for each in ours if each.state is None]
    if len(unknown) >= _UNKNOWN:
        raise Misconfigured(
            "unavailable",
            f"{len(unknown)} worktrees lie in {folder} that no call knows any more, "
            "since no secret of yours can be kept",
            "name a folder of your own in XDG_STATE_HOME, see what is in them, and remove them: "
            f"git worktree remove {unknown[0].root}",
        )


def _tidied(
    repo: Repository, store: Store, folder: Path, root: Path, announce: Callable[[str], None]
) -> None:
    """Remove what was killed in the pool before it became a slot, and what stood at ``root``.

    We hold the pool's lock, so nobody is making one.
    """
    for found in slots.find_worktrees(repo):
        unfinished = found.root.parent.parent == folder and not found.state_file.exists()
        if unfinished or found.root == root:
            with suppress(ScalpelError):  # what cannot be kept stays
                kept = discard(repo, store, found)
                if kept is not None:
                    announce(f"what was left in {found.root} is kept as {kept}")
