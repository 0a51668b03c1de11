"""Lease a slot of the pool, make its worktree in one step if there is none, and remove worktrees.

A file lock, inherited by children, marks the process that works in a slot. Nothing that git does not contain
is overwritten: manual changes are kept as a commit, and a slot for which that fails is left alone.
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
from gitscalpel.git import refs, scratch, uncommitted, user_cache
from gitscalpel.git.object_store import Store
from gitscalpel.git.pool import slots
from gitscalpel.git.pool.slots import Slot, SlotState, find_worktrees, has_files, is_linked, linked_git_dir
from gitscalpel.git.pool.worktree import Worktree, keep_contents
from gitscalpel.git.repository import Repository
from gitscalpel.git.scratch import Scratch
from gitscalpel.git.user_cache import POOL_LOCK
from gitscalpel.system import private_files, repo_lock, serialization, trust
from gitscalpel.system.failpoint import step

MAKING_NOTE = "worktree"  # note about the worktree that is being made
_REMOVING, _RECORD = "worktree.removing", "worktree.record"
# Files that a killed git may leave in a slot.
_GIT_LEFTOVERS = ("index.lock", "HEAD.lock", "index.new", "index.new.lock", "index.lock.new")


def keep_slot_contents(worktree: Worktree, announce: Callable[[str], None]) -> str | None:
    """Keep the contents of a slot without an owner. Return the ref, or None if it has none of its own."""
    for name in _GIT_LEFTOVERS:
        private_files.remove_path(worktree.repo.git_dir / name)
    ref = worktree.keep()
    if ref is not None:
        announce(f"what was left in {worktree.root} is kept as {ref}")
    return ref


def discard_incomplete(repo: Repository, store: Store, slot: Slot) -> str | None:
    """Remove a worktree of the pool that is not a complete slot. Return the ref that keeps its contents."""
    ref = None
    if is_linked(slot) and has_files(slot.root):
        worktree = repo.with_git_dir(slot.git_dir, slot.root)
        ref = keep_contents(worktree, store, slot.root, uncommitted.write_contents(worktree))
    ref = _keep_staged(repo, store, slot) or ref
    remove_worktree(repo, slot)
    return ref


def _keep_staged(repo: Repository, store: Store, slot: Slot) -> str | None:
    if slot.state is None or slot.state.tree is None:
        return None
    worktree = repo.with_git_dir(slot.git_dir, slot.root)
    result = worktree.git.run("write-tree")
    staged = slot.state.tree if result.status else Oid(result.out.decode("ascii").strip())
    if staged == slot.state.tree and worktree.resolve("HEAD") in (None, slot.state.base):
        return None
    return keep_contents(worktree, store, slot.root, staged)


def remove_worktree(repo: Repository, slot: Slot) -> None:
    """Remove a worktree whose contents are kept: its record in one step, then its files if they are its own.

    ``git worktree remove`` deletes the record file by file, and until it has finished, or after a kill, the
    repository looks damaged.
    """
    with scratch.make_scratch(repo.scalpel_dir) as notes:
        root = slot.root if is_linked(slot) else None
        if root is not None:
            notes.write(_REMOVING, os.fsencode(root))
        step()
        slot.git_dir.rename(notes.path / _RECORD)
        private_files.sync_path(slot.git_dir.parent)  # otherwise a power cut may restore the emptied record
        with suppress(OSError):
            slot.git_dir.parent.rmdir()  # as git does after the last one
        step()
        if root is not None:
            private_files.remove_path(root)


def finish_interrupted(repo: Repository, store: Store, left: Scratch) -> list[str]:
    """Remove the worktree that a killed process was making or removing, and return messages about it.

    With a half-written record of a worktree, git rejects many commands in the whole repository.
    """
    making, removing = left.read(MAKING_NOTE), left.read(_REMOVING)
    if not making and not removing:
        return []
    with repo_lock.try_hold_lock(repo.scalpel_dir / POOL_LOCK) as pool:
        if pool is None:
            return []
        return [*_remove_unfinished(repo, store, making), *_remove_remaining_files(repo, left, removing)]


def _remove_unfinished(repo: Repository, store: Store, note: bytes) -> list[str]:
    root, messages = Path(os.fsdecode(note)), []
    for slot in find_worktrees(repo):
        if slot.root == root and not slot.state_file.exists():
            discard_incomplete(repo, store, slot)
            messages.append(f"removed {root}, a worktree that was being made")
    return messages


def _remove_remaining_files(repo: Repository, left: Scratch, note: bytes) -> list[str]:
    root = Path(os.fsdecode(note))
    if not (note and (left.path / _RECORD).exists() and root.exists()):
        return []
    if any(slot.root == root for slot in find_worktrees(repo)):
        return []  # another one was made there since
    private_files.remove_path(root)
    return [f"removed {root}, a worktree that was being removed"]


_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")  # matches names that git uses unchanged for a record
_UNUSUAL_SETTINGS = (
    "extensions.worktreeconfig",
    "extensions.refstorage",
    "extensions.relativeworktrees",
    "worktree.userelativepaths",
)
_FOLDER = "linked"


def link_worktree(repo: Repository, root: Path, commit: Oid, notes: Scratch) -> bool:
    """Make a worktree without files at ``root``, whose head is ``commit``. Return False if git has to.

    The record is prepared in ``notes`` and appears in one step. ``git worktree add`` writes it file by file
    and syncs none. After a power cut one may be empty, and then every git in the repository fails.
    """
    if any(repo.config.get(key) for key in _UNUSUAL_SETTINGS) or not _NAME.fullmatch(root.name):
        return False
    records = repo.common_dir / "worktrees"
    private_files.make_folder(records)
    if not private_files.is_folder(records):
        return False
    record = _find_free_record_path(records, root.name)
    new_record = notes.path / _FOLDER
    new_record.mkdir()
    files = {  # gitrepository-layout(5)
        "HEAD": commit.encode("ascii") + b"\n",
        "commondir": b"../..\n",
        "gitdir": os.fsencode(root / ".git") + b"\n",
    }
    for name, content in files.items():
        private_files.write(new_record / name, content, durable=True)
        private_files.adjust_permissions(new_record / name)
    private_files.adjust_permissions(new_record)
    private_files.sync_path(new_record)
    step()
    root.mkdir()
    private_files.write(root / ".git", b"gitdir: " + os.fsencode(record) + b"\n", durable=True)
    for folder in (root, root.parent):
        private_files.sync_path(folder)
    step()
    new_record.rename(record)
    for folder in (records, repo.common_dir):
        private_files.sync_path(folder)
    return True


def _find_free_record_path(records: Path, name: str) -> Path:
    """Return the path for a new record: the name of the directory, with a number if that is taken."""
    number = 0
    while os.path.lexists(records / f"{name}{number or ''}"):
        number += 1
    return records / f"{name}{number or ''}"


_MAX_UNKNOWN = 8  # maximum number of worktrees in the pool whose records cannot be read any more


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
    """Hold the slot of transaction ``tx``: its own, a free one, or a new one at ``commit``.

    ``announce`` gets a message if a worktree is made, which takes a while in a large repository, or leftovers
    of a slot are kept. With ``judges`` the worktree is for gates, and no user gets it.

    Raises:
        TryAgain: ``busy``: another process is working in the transaction's slot.
        Misconfigured: ``unavailable``: too many worktrees have records that cannot be read.
    """
    with ExitStack() as stack:
        folder = os.path.relpath(repo.work_tree or repo.git_dir, repo.common_dir)
        wanted = SlotState(tx=tx, home=serialization.encode_path(folder), judges=judges)
        # One process at a time, so that a slot is not leased twice and a transaction leases only one.
        with repo_lock.hold_lock(repo.scalpel_dir, name=user_cache.POOL_LOCK) as pool:
            worktree = None if judges else _lease_own(repo, store, tx, stack, announce)
            worktree = worktree or _lease_free(repo, store, wanted, stack, announce)
            if worktree is None:
                # Inherited, so that no process removes a worktree that a git is still making.
                making = msgspec.structs.replace(repo, git=repo.git.inheriting(pool))
                with scratch.make_scratch(repo.scalpel_dir) as notes:
                    made = _make_slot(making, store, commit, announce, notes)
                    slot = msgspec.structs.replace(made, state=wanted)
                    worktree = Worktree(repo, slot, store, slots.lock_slot(slot, stack))
                    worktree.claim(wanted)
        try:
            yield worktree
        finally:
            if judges and not trust.is_persistent() and worktree.repo.git_dir.is_dir():
                remove_worktree(
                    repo, Slot(worktree.repo.git_dir, worktree.root, None)
                )  # it cannot be used again


def _lease_own(
    repo: Repository, store: Store, tx: str, stack: ExitStack, announce: Callable[[str], None]
) -> Worktree | None:
    """Lease the transaction's slot. If a process was killed in it, keep its contents."""
    slot = slots.find_slot(repo, tx)
    if slot is None:
        return None
    worktree = Worktree(repo, slot, store, slots.lock_slot(slot, stack))
    worktree.unlock()
    if worktree.state is None or worktree.state.tree is None:
        keep_slot_contents(worktree, announce)
    return worktree


def _lease_free(
    repo: Repository, store: Store, wanted: SlotState, stack: ExitStack, announce: Callable[[str], None]
) -> Worktree | None:
    """Lease a free slot and keep its leftovers. A slot for which that fails is skipped."""
    open_now = (
        {} if wanted.judges else refs.find_open_transactions(repo)
    )  # slots for gates are free when not held
    for slot in slots.find_slots(repo):
        if slot.judges != wanted.judges or not slots.is_slot_free(slot, open_now):
            continue
        with suppress(ScalpelError, OSError), ExitStack() as attempt:
            worktree = Worktree(repo, slot, store, slots.lock_slot(slot, attempt))
            keep_slot_contents(worktree, announce)
            worktree.claim(wanted)
            stack.push(attempt.pop_all())
            return worktree
    return None


def _make_slot(
    repo: Repository, store: Store, commit: Oid, announce: Callable[[str], None], notes: Scratch
) -> Slot:
    folder, name = user_cache.pool_directory(repo)
    if not trust.is_persistent():
        _require_few_unknown(repo, folder)
    number = 1
    while (folder / str(number) / name).exists():
        number += 1
    root = folder / str(number) / name
    _remove_incomplete(repo, store, folder, root, announce)
    user_cache.make_directory(root.parent)
    announce(f"making a worktree in {root}; the first one of a large repository takes a while")
    notes.write(MAKING_NOTE, os.fsencode(root))
    step()
    if not link_worktree(repo, root, commit, notes):
        repo.git("worktree", "add", "--detach", "--no-checkout", "-q", str(root), commit)
    return Slot(linked_git_dir(root), root, None)


def _require_few_unknown(repo: Repository, folder: Path) -> None:
    worktrees = (each for each in slots.find_worktrees(repo) if each.root.parent.parent == folder)
    unknown = [each for each in worktrees if each.state is None]
    if len(unknown) >= _MAX_UNKNOWN:
        raise Misconfigured(
            "unavailable",
            f"{len(unknown)} worktrees in {folder} can no longer be used, since no secret can be stored",
            "set XDG_STATE_HOME to a directory of your own, check the worktrees, and remove each of them: "
            f"`git worktree remove {unknown[0].root}`",
        )


def _remove_incomplete(
    repo: Repository, store: Store, folder: Path, root: Path, announce: Callable[[str], None]
) -> None:
    """Remove incomplete worktrees and any record of a worktree at ``root``. The pool's lock is held."""
    for slot in slots.find_worktrees(repo):
        is_unfinished = slot.root.parent.parent == folder and not slot.state_file.exists()
        if is_unfinished or slot.root == root:
            with suppress(ScalpelError):  # a worktree whose contents cannot be kept stays
                ref = discard_incomplete(repo, store, slot)
                if ref is not None:
                    announce(f"what was left in {slot.root} is kept as {ref}")
