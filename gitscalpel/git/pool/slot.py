"""A slot of the pool: a worktree with our record of what it is for."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import Damaged
from gitscalpel.git.occupied import SLOT
from gitscalpel.git.repository import linked_root
from gitscalpel.system import private_files, seal, serialization
from gitscalpel.system.failpoint import step

JUDGES = "SCALPEL_JUDGES"
"""The variable by which programs that judge know each other, wherever they go: the common git directory."""


class Fresh(msgspec.Struct, frozen=True, kw_only=True):
    """Files that were written shortly before a worktree was left.

    Attributes:
        time: when at the latest, in nanoseconds.
        names: the bytes of their paths; None: any.
    """

    time: int
    names: tuple[str, ...] | None


class Left(msgspec.Struct, frozen=True, kw_only=True):
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
    fresh: tuple[Fresh, ...]


class State(msgspec.Struct, frozen=True, kw_only=True):
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
    left: Left | None = None

    def folder(self, common_dir: Path) -> Path:
        """``home`` as a path."""
        return Path(os.path.normpath(common_dir / serialization.read(self.home)))


class Slot(msgspec.Struct, frozen=True):
    """A worktree of the pool: its git directory, the root of its files, what it was for when it was read."""

    git_dir: Path
    root: Path
    state: State | None

    @property
    def state_file(self) -> Path:
        """Where it is written what the slot is for; only slots of ours have it."""
        return self.git_dir / SLOT

    @property
    def judges(self) -> bool:
        """Whether it is for programs that judge."""
        return self.state is not None and self.state.judges

    @property
    def leased_by(self) -> str | None:
        """The transaction that was handed it, which may have ended since."""
        return self.state.tx if self.state and not self.state.judges else None


def read_state(git_dir: Path) -> State | None:
    """What a worktree with this git directory is for; None: no slot, or not one that this user has made."""
    with suppress(OSError, msgspec.MsgspecError):
        content = seal.kept(git_dir / SLOT, _home(git_dir), _about(git_dir))
        state = None if content is None else serialization.decode(content, State)
        return (
            state
            if state is not None and Path(serialization.read(state.root)) == linked_root(git_dir)
            else None
        )
    return None


def is_copied(found: Slot) -> bool:
    """Whether its record came along when this user's repository was copied."""
    with suppress(OSError, Damaged):
        return found.state is None and seal.is_mine(
            _about(found.git_dir), private_files.read(found.state_file)
        )
    return False


def write_state(git_dir: Path, state: State) -> State:
    """Note what a worktree is for; what was noted."""
    state = msgspec.structs.replace(state, root=serialization.spelt(linked_root(git_dir)))
    step()
    seal.keep(git_dir / SLOT, _home(git_dir), _about(git_dir), msgspec.json.encode(state))
    return state


def _home(git_dir: Path) -> Path:
    """Our folder in the common git directory."""
    return git_dir.parent.parent / "scalpel"


def _about(git_dir: Path) -> str:
    return f"slot {git_dir.name}"


def has_files(root: Path) -> bool:
    """Whether there is anything in a worktree but its link."""
    return root.is_dir() and any(path.name != ".git" for path in root.iterdir())


def linked_from(root: Path) -> Path:
    """The git directory that a worktree says it has. Raises ``OSError`` where it says nothing."""
    link = (root / ".git").read_text("utf-8", "surrogateescape")
    return Path(os.path.normpath(root / link.removeprefix("gitdir: ").rstrip("\n")))


def is_linked(found: Slot) -> bool:
    """Whether the folder says that it is this worktree's."""
    try:
        return linked_from(found.root).samefile(found.git_dir)
    except OSError:
        return False
