"""Slots of the pool: the sealed record of each, the list of them, and their holders."""

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
from gitscalpel.system import private_files, repo_lock, seal, serialization
from gitscalpel.system.failpoint import step

GATE_VARIABLE = "SCALPEL_JUDGES"
"""The variable by which programs that judge know each other, wherever they go: the common git directory."""


class RecentWrites(msgspec.Struct, frozen=True, kw_only=True):
    """Files that were written shortly before a worktree was left.

    Attributes:
        time: when at the latest, in nanoseconds.
        names: the bytes of their paths; None: any.
    """

    time: int
    names: tuple[str, ...] | None


class LeftState(msgspec.Struct, frozen=True, kw_only=True):
    """How a worktree was left for programs that judge.

    Attributes:
        tree: its files are those of this tree.
        index: the times of its index.
        copy: the times of the copy of that.
        time: when the copy was made; what has been changed since has a later time.
        fresh: the files that were written shortly before.
    """

    tree: Oid
    index: str
    copy: str
    time: int
    fresh: tuple[RecentWrites, ...]


class SlotState(msgspec.Struct, frozen=True, kw_only=True):
    """What a slot is for.

    Attributes:
        tx: the transaction that holds it, or that is judged in it.
        judges: it is for programs that judge. Nobody is ever handed it, so that nobody leaves files there
            that git ignores and programs see; it is held by whoever works in it, and no longer.
        home: the folder from which it was leased, where its transaction lands, relative to the common
            git directory: the repository may be moved.
        tree: what it was brought to; None: nothing yet, or it is being moved or worked in by a command,
            and if nobody holds the slot, somebody was killed then.
        base: the commit that it was put on.
        setup: the command that has made it ready for programs.
        shared: the folders in it that are links to the checkout's.
        root: of its files.
        left: where programs judge, how it was when it was left to the last of them.
    """

    tx: str
    home: str
    judges: bool = False
    tree: Oid | None = None
    base: Oid | None = None
    setup: str = ""
    shared: tuple[str, ...] = ()
    root: str = ""
    left: LeftState | None = None

    def folder(self, common_dir: Path) -> Path:
        """``home`` as a path."""
        return Path(os.path.normpath(common_dir / serialization.read(self.home)))


class Slot(msgspec.Struct, frozen=True):
    """A worktree of the pool: its git directory, the root of its files, what it was for when it was read."""

    git_dir: Path
    root: Path
    state: SlotState | None

    @property
    def state_file(self) -> Path:
        """Where it is written what the slot is for; only slots of ours have it."""
        return self.git_dir / SLOT_FILE

    @property
    def judges(self) -> bool:
        """Whether it is for programs that judge."""
        return self.state is not None and self.state.judges

    @property
    def leased_by(self) -> str | None:
        """The transaction that was handed it, which may have ended since."""
        return self.state.tx if self.state and not self.state.judges else None


def read_state(git_dir: Path) -> SlotState | None:
    """What a worktree with this git directory is for; None: no slot, or not one that this user has made."""
    with suppress(OSError, msgspec.MsgspecError):
        content = seal.kept(git_dir / SLOT_FILE, _scalpel_dir(git_dir), _about(git_dir))
        if content is not None:
            state = serialization.decode(content, SlotState)
            return state if Path(serialization.read(state.root)) == linked_root(git_dir) else None
    return None


def is_copied(found: Slot) -> bool:
    """Whether its record came along when this user's repository was copied."""
    with suppress(OSError, Damaged):
        about = _about(found.git_dir)
        return found.state is None and seal.is_mine(about, private_files.read(found.state_file))
    return False


def write_state(git_dir: Path, state: SlotState) -> SlotState:
    """Note what a worktree is for; what was noted."""
    state = msgspec.structs.replace(state, root=serialization.spelt(linked_root(git_dir)))
    step()
    seal.keep(git_dir / SLOT_FILE, _scalpel_dir(git_dir), _about(git_dir), msgspec.json.encode(state))
    return state


def _scalpel_dir(git_dir: Path) -> Path:
    """Our folder in the common git directory."""
    return git_dir.parent.parent / "scalpel"


def _about(git_dir: Path) -> str:
    return f"slot {git_dir.name}"


def has_files(root: Path) -> bool:
    """Whether there is anything in a worktree but its link."""
    return root.is_dir() and any(path.name != ".git" for path in root.iterdir())


def linked_git_dir(root: Path) -> Path:
    """The git directory that a worktree says it has. Raises ``OSError`` where it says nothing."""
    link = (root / ".git").read_text("utf-8", "surrogateescape")
    return Path(os.path.normpath(root / link.removeprefix("gitdir: ").rstrip("\n")))


def is_linked(found: Slot) -> bool:
    """Whether the folder says that it is this worktree's."""
    try:
        return linked_git_dir(found.root).samefile(found.git_dir)
    except OSError:
        return False


_SLOT_LOCK = "scalpel.lock"


def find_slots(repo: Repository) -> list[Slot]:
    """The pool of a repository, as far as it is there."""
    return [slot for slot in find_worktrees(repo) if slot.state is not None and _is_there(slot)]


def find_worktrees(repo: Repository) -> Iterator[Slot]:
    """Every linked worktree that git has a record of, the user's own as well."""
    for file in sorted((repo.common_dir / "worktrees").glob("*/gitdir")):
        with suppress(OSError):
            yield Slot(file.parent, linked_root(file.parent), read_state(file.parent))


def find_slot(repo: Repository, tx: str) -> Slot | None:
    """The slot that a transaction has leased."""
    return next((slot for slot in find_slots(repo) if slot.leased_by == tx), None)


def is_free(slot: Slot, open_now: Container[str]) -> bool:
    """Whether a slot is nobody's; ``open_now`` are the open transactions."""
    return not is_held(slot) if slot.judges else slot.leased_by not in open_now


def state_of(repo: Repository) -> SlotState | None:
    """What the slot is for that ``repo`` was found from; None: it is no slot."""
    return None if repo.git_dir == repo.common_dir else read_state(repo.git_dir)


def _is_there(slot: Slot) -> bool:
    """Whether the folder is still this slot's: not taken away, nor another's after a copy.

    Where the link leads nowhere, the repository has been moved, and where there is none, somebody
    has deleted it: it is set right.
    """
    try:
        with suppress(FileNotFoundError):
            return linked_git_dir(slot.root).samefile(slot.git_dir)
        if is_held(slot):  # it may just be removed
            return False
        private_files.write(slot.root / ".git", b"gitdir: " + os.fsencode(slot.git_dir) + b"\n")
    except OSError:  # the folder is not there, or there is a repository in it
        return False
    return True


def lock_slot(slot: Slot, held: ExitStack) -> repo_lock.Lock:
    """Hold a slot. Raises ``TryAgain``: another process does."""
    got = held.enter_context(repo_lock.attempt(slot.git_dir / _SLOT_LOCK))
    if got is None:
        raise TryAgain("busy", f"another process works in {slot.root}", "try again when it has ended")
    return got


def is_held(slot: Slot) -> bool:
    """Whether a process works in a slot just now."""
    return repo_lock.holder(slot.git_dir, _SLOT_LOCK) is not None
