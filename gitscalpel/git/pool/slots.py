"""Slots of the pool: the sealed record of each, their list, and the processes that hold them."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import Damaged, TryAgain
from gitscalpel.git.refs import SLOT_FILE
from gitscalpel.git.repository import Repository, linked_root
from gitscalpel.system import private_files, repo_lock, serialization, trust
from gitscalpel.system.failpoint import step

# Variable with the common git directory, by which programs of a gate are recognised.
GATE_VARIABLE = "SCALPEL_JUDGES"


class RecentWrites(msgspec.Struct, frozen=True, kw_only=True):
    """Files written shortly before a worktree was left to gates. ``names`` is None for any file.

    ``time`` is the latest time of the writes, in nanoseconds.
    """

    time: int
    names: tuple[str, ...] | None


class LeftState(msgspec.Struct, frozen=True, kw_only=True):
    """State of a worktree when it was left to gates."""

    tree: Oid
    index: str  # stamp of its index
    copy: str  # stamp of the copy of the index
    time: int  # time of the copy in nanoseconds. Later changes have a later time.
    fresh: tuple[RecentWrites, ...]  # files written shortly before


class SlotState(msgspec.Struct, frozen=True, kw_only=True):
    """Purpose and state of a slot."""

    tx: str  # transaction that holds it, or that is checked in it
    # Directory from which it was leased, where its transaction lands, relative to the common git directory,
    # since the repository may be moved.
    home: str
    # True for gates. No user gets such a slot, or could leave ignored files for programs in it.
    judges: bool = False
    # Tree of its files. None if there are none yet, or while it is moved or a command works in it. If no
    # process holds the slot then, the process was killed.
    tree: Oid | None = None
    base: Oid | None = None  # commit of its head
    setup: str = ""  # command that prepared it for programs
    shared: tuple[str, ...] = ()  # directories in it that are links to the checkout's
    root: str = ""
    left: LeftState | None = None  # state when it was left to the last gate. None for other slots.

    def folder(self, common_dir: Path) -> Path:
        return Path(os.path.normpath(common_dir / serialization.decode_path(self.home)))


class Slot(msgspec.Struct, frozen=True):
    """A worktree of the pool: its git directory, the root of its files, and its state when it was read."""

    git_dir: Path
    root: Path
    state: SlotState | None

    @property
    def state_file(self) -> Path:
        return self.git_dir / SLOT_FILE

    @property
    def judges(self) -> bool:
        return self.state is not None and self.state.judges

    @property
    def leased_by(self) -> str | None:
        """Return the transaction that leased it and may have ended, or None."""
        return self.state.tx if self.state and not self.state.judges else None


def read_state(git_dir: Path) -> SlotState | None:
    """Return the state of the worktree with this git directory. None if this user made no slot of it."""
    with suppress(OSError, msgspec.MsgspecError):
        content = trust.read_sealed(git_dir / SLOT_FILE, _scalpel_dir(git_dir), _seal_subject(git_dir))
        if content is not None:
            state = serialization.decode(content, SlotState)
            return state if Path(serialization.decode_path(state.root)) == linked_root(git_dir) else None
    return None


def is_copied_slot(slot: Slot) -> bool:
    """Return True if the slot's record came with a copy of this user's repository."""
    with suppress(OSError, Damaged):
        about = _seal_subject(slot.git_dir)
        return slot.state is None and trust.is_mine(about, private_files.read(slot.state_file))
    return False


def write_state(git_dir: Path, state: SlotState) -> SlotState:
    state = msgspec.structs.replace(state, root=serialization.encode_path(linked_root(git_dir)))
    step()
    trust.write_sealed(
        git_dir / SLOT_FILE, _scalpel_dir(git_dir), _seal_subject(git_dir), msgspec.json.encode(state)
    )
    return state


def _scalpel_dir(git_dir: Path) -> Path:
    return git_dir.parent.parent / "scalpel"


def _seal_subject(git_dir: Path) -> str:
    return f"slot {git_dir.name}"


def has_files(root: Path) -> bool:
    return root.is_dir() and any(path.name != ".git" for path in root.iterdir())


def linked_git_dir(root: Path) -> Path:
    """Return the git directory that a worktree names. Raises ``OSError`` if it names none."""
    link = (root / ".git").read_text("utf-8", "surrogateescape")
    return Path(os.path.normpath(root / link.removeprefix("gitdir: ").rstrip("\n")))


def is_linked(slot: Slot) -> bool:
    try:
        return linked_git_dir(slot.root).samefile(slot.git_dir)
    except OSError:
        return False


_SLOT_LOCK = "scalpel.lock"


def find_slots(repo: Repository) -> list[Slot]:
    return [slot for slot in find_worktrees(repo) if slot.state is not None and _is_usable(slot)]


def find_worktrees(repo: Repository) -> Iterator[Slot]:
    """Yield every linked worktree that git has a record of, including the user's own."""
    for file in sorted((repo.common_dir / "worktrees").glob("*/gitdir")):
        with suppress(OSError):
            yield Slot(file.parent, linked_root(file.parent), read_state(file.parent))


def find_slot(repo: Repository, tx: str) -> Slot | None:
    return next((slot for slot in find_slots(repo) if slot.leased_by == tx), None)


def is_slot_free(slot: Slot, open_now: Container[str]) -> bool:
    return not is_slot_held(slot) if slot.judges else slot.leased_by not in open_now


def find_slot_state(repo: Repository) -> SlotState | None:
    """Return the state of the slot in which ``repo`` was opened. None if that is not a slot."""
    return None if repo.git_dir == repo.common_dir else read_state(repo.git_dir)


def _is_usable(slot: Slot) -> bool:
    """Return True if the directory still belongs to this slot, and was not removed or replaced by a copy.

    Its link is repaired if the repository was moved or the link was deleted.
    """
    try:
        with suppress(FileNotFoundError):
            return linked_git_dir(slot.root).samefile(slot.git_dir)
        if is_slot_held(slot):  # it may be in removal
            return False
        private_files.write(slot.root / ".git", b"gitdir: " + os.fsencode(slot.git_dir) + b"\n")
    except OSError:  # the directory is missing, or contains a repository
        return False
    return True


def lock_slot(slot: Slot, stack: ExitStack) -> repo_lock.Lock:
    """Hold a slot. Raises ``TryAgain`` if another process does."""
    lock = stack.enter_context(repo_lock.try_hold_lock(slot.git_dir / _SLOT_LOCK))
    if lock is None:
        raise TryAgain("busy", f"another process is working in {slot.root}", "try again when it has finished")
    return lock


def is_slot_held(slot: Slot) -> bool:
    return repo_lock.find_lock_holder(slot.git_dir, _SLOT_LOCK) is not None
