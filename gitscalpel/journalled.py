"""What moves refs and files together: written down before it is done, and finished or taken back if it fails.

A failure is healed by the same steps as a kill, so there is one way back and it is walked every day.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import msgspec

from gitscalpel import recovery
from gitscalpel.errors import ScalpelError
from gitscalpel.git import checkout, journal
from gitscalpel.git.journal import Journal, Row
from gitscalpel.git.object_store import Store
from gitscalpel.git.refs import RefUpdate
from gitscalpel.git.repository import Repository
from gitscalpel.system.repo_lock import Lock


class Ground(msgspec.Struct, frozen=True):
    """Where something moves; the lock is held."""

    repo: Repository
    store: Store
    lock: Lock


DONE: deque[str] = deque(maxlen=9)
"""What this process did last, in words: who is interrupted now must not be told to do it again."""


def intended(
    ground: Ground, what: str, updates: Sequence[RefUpdate], rows: Sequence[Row], *, here: bool
) -> Journal:
    """What is about to be done, as it will be written down.

    Args:
        ground: where.
        what: for people.
        updates: every ref that moves, the one that the files follow first.
        rows: every path that is touched.
        here: files of this worktree follow.
    """
    repo = ground.repo
    return Journal(
        token=os.urandom(8).hex(),
        what=what,
        git_dir=os.path.relpath(repo.git_dir, repo.common_dir),
        work_tree=_root(repo) if here else None,
        refs=tuple(updates),
        rows=tuple(rows),
    )


@contextmanager
def carrying_out(ground: Ground, intent: Journal) -> Iterator[None]:
    """What is written down here is done in the block: all of it, or, where that raises, nothing of it."""
    with ground.store.lasting():
        journal.write(ground.repo.scalpel_dir, intent)
        try:
            yield
            DONE.append(intent.what)
        except BaseException as error:
            spared = checkout.spared(error)
            moved, said = recovery.heal(ground.repo, ground.store, ground.lock, intent, spared)
            if moved:
                DONE.append(intent.what)
                return  # it was done when the failure or the interrupt came
            if said and isinstance(error, ScalpelError):
                raise error.but(more=f"; {'; '.join(said)}", left=said) from error
            raise
        with suppress(OSError):  # it is done; whoever comes next finds nothing to finish, and clears it
            journal.clear(ground.repo.scalpel_dir)


def _root(repo: Repository) -> str:
    is_main = repo.git_dir == repo.common_dir
    return os.path.relpath(str(repo.work_tree), repo.common_dir) if is_main else str(repo.work_tree)
