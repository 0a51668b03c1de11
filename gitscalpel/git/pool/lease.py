"""Lease a slot of the pool, make its worktree in one step where there is none, and remove worktrees.

A slot belongs to the open transaction that leased it. A file lock, inherited by children in case of a
kill, marks the process that works in it; slots for gates have only the lock. Nothing that git does not
contain is overwritten: manual changes are kept as a commit, and a slot for which that fails is left
alone. A removal keeps the contents first, and finishes what a kill interrupted.

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
from gitscalpel.git import refs, scratch, user_cache
from gitscalpel.git.object_store import Store
from gitscalpel.git.pool import slots
from gitscalpel.git.pool.slots import Slot, SlotState, find_worktrees, has_files, is_linked, linked_git_dir
from gitscalpel.git.pool.worktree import Worktree, keep
from gitscalpel.git.repository import Repository
from gitscalpel.git.scratch import Scratch
from gitscalpel.git.user_cache import POOL_LOCK
from gitscalpel.system import private_files, repo_lock, seal, serialization
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
    from gitscalpel.git import uncommitted  # most worktrees hold nothing of their own

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
    with repo_lock.attempt(repo.scalpel_dir / POOL_LOCK) as pool:
        if pool is None:
            return []
        return [*_remove_unfinished(repo, store, making), *_remove_rest(repo, left, removing)]


def _remove_unfinished(repo: Repository, store: Store, note: bytes) -> list[str]:
    root, said = Path(os.fsdecode(note)), []
    for found in find_worktrees(repo):
        if found.root == root and not found.state_file.exists():
            discard(repo, store, found)
            said.append(f"removed {root}, a worktree that was being made")
    return said


def _remove_rest(repo: Repository, left: Scratch, note: bytes) -> list[str]:
    root = Path(os.fsdecode(note))
    if not (note and (left.path / _RECORD).exists() and root.exists()):
        return []
    if any(found.root == root for found in find_worktrees(repo)):
        return []  # somebody has made another one there since
    private_files.remove(root)
    return [f"removed {root}, a worktree that was being removed"]


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
    files = {  # gitrepository-layout(5)
        "HEAD": commit.encode("ascii") + b"\n",
        "commondir": b"../..\n",
        "gitdir": os.fsencode(root / ".git") + b"\n",
    }
    for name, content in files.items():
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
        with repo_lock.hold(repo.scalpel_dir, name=user_cache.POOL_LOCK) as pool:
            worktree = None if judges else _lease_own(repo, store, tx, held, announce)
            worktree = worktree or _lease_free(repo, store, wanted, held, announce)
            if worktree is None:
                # Inherited, so that nobody takes a worktree for left over that a git is still making.
                making = msgspec.structs.replace(repo, git=repo.git.inheriting(pool))
                with scratch.made(repo.scalpel_dir) as notes:
                    made = _make_slot(making, store, commit, announce, notes)
                    slot = msgspec.structs.replace(made, state=wanted)
                    worktree = Worktree(repo, slot, store, slots.lock_slot(slot, held))
                    worktree.claim(wanted)
        try:
            yield worktree
        finally:
            if judges and not seal.lasts() and worktree.repo.git_dir.is_dir():
                retire(repo, Slot(worktree.repo.git_dir, worktree.root, None))  # nobody would use it again


def _lease_own(
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


def _lease_free(
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


def _make_slot(
    repo: Repository, store: Store, commit: Oid, announce: Callable[[str], None], notes: Scratch
) -> Slot:
    """A new slot, without files yet."""
    folder, name = user_cache.pool_directory(repo)
    if not seal.lasts():
        _refuse_more(repo, folder)
    number = 1
    while (folder / str(number) / name).exists():
        number += 1
    root = folder / str(number) / name
    _tidy(repo, store, folder, root, announce)
    user_cache.make_directory(root.parent)
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


def _tidy(repo: Repository, store: Store, folder: Path, root: Path, announce: Callable[[str], None]) -> None:
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
