"""Which worktrees git has a record of, which of them are slots, and who holds them."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator
from contextlib import ExitStack, suppress

from gitscalpel.errors import TryAgain
from gitscalpel.git.pool.slot import Slot, State, linked_from, read_state
from gitscalpel.git.repository import Repository, linked_root
from gitscalpel.system import private_files, repo_lock

_LOCK = "scalpel.lock"


def slots(repo: Repository) -> list[Slot]:
    """The pool of a repository, as far as it is there."""
    return [slot for slot in recorded(repo) if slot.state is not None and _is_there(slot)]


def recorded(repo: Repository) -> Iterator[Slot]:
    """Every linked worktree that git has a record of, the user's own as well."""
    for file in sorted((repo.common_dir / "worktrees").glob("*/gitdir")):
        with suppress(OSError):
            yield Slot(file.parent, linked_root(file.parent), read_state(file.parent))


def slot_of(repo: Repository, tx: str) -> Slot | None:
    """The slot that a transaction has leased."""
    return next((slot for slot in slots(repo) if slot.leased_by == tx), None)


def is_free(slot: Slot, open_now: Container[str]) -> bool:
    """Whether a slot is nobody's; ``open_now`` are the open transactions."""
    return not is_held(slot) if slot.judges else slot.leased_by not in open_now


def state_of(repo: Repository) -> State | None:
    """What the slot is for that ``repo`` was found from; None: it is no slot."""
    return None if repo.git_dir == repo.common_dir else read_state(repo.git_dir)


def _is_there(slot: Slot) -> bool:
    """Whether the folder is still this slot's: not taken away, nor another's after a copy.

    Where the link leads nowhere, the repository has been moved, and where there is none, somebody
    has deleted it: it is set right.
    """
    try:
        with suppress(FileNotFoundError):
            return linked_from(slot.root).samefile(slot.git_dir)
        if is_held(slot):  # it may just be removed
            return False
        private_files.write(slot.root / ".git", b"gitdir: " + os.fsencode(slot.git_dir) + b"\n")
    except OSError:  # the folder is not there, or there is a repository in it
        return False
    return True


def locked(slot: Slot, held: ExitStack) -> repo_lock.Lock:
    """Hold a slot. Raises ``TryAgain``: another process does."""
    got = held.enter_context(repo_lock.attempt(slot.git_dir / _LOCK))
    if got is None:
        raise TryAgain("busy", f"another process works in {slot.root}", "try again when it has ended")
    return got


def is_held(slot: Slot) -> bool:
    """Whether a process works in a slot just now."""
    return repo_lock.holder(slot.git_dir, _LOCK) is not None
