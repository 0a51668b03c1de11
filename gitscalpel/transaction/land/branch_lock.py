"""The lock by which callers take turns to land on a branch.

The tool's own lock is taken only for the landing itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from hashlib import blake2b
from pathlib import Path

from gitscalpel.system import repo_lock
from gitscalpel.system.repo_lock import Heard, Lock
from gitscalpel.workspace import Workspace


@contextmanager
def turn(
    ws: Workspace, branch: str, timeout: float = repo_lock.PATIENCE, wish: Callable[[], bytes] = bytes
) -> Iterator[Lock | Heard]:
    """Have it, or hear what somebody who had it has done for this one.

    What is judged in it may take as long as its gates do.

    Args:
        ws: where.
        branch: which.
        timeout: for how long nothing may move in the line.
        wish: see :func:`gitscalpel.system.repo_lock.hold_unless_served`.
    """
    with (
        repo_lock.hold_unless_served(*turns(ws, branch), timeout, wish) as got,
        repo_lock.moving(got) if isinstance(got, Lock) else nullcontext(),
    ):
        yield got


def turns(ws: Workspace, branch: str) -> tuple[Path, str]:
    """The folder and the name of the lock that is a branch's turn."""
    name = blake2b(branch.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    return ws.repo.scalpel_dir / "turns", name
