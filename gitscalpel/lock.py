"""The tool's lock: one landing at a time in a repository and all its worktrees.

A file lock dies with the last process that holds its descriptor, so nothing
stale is left behind. Windows has no ``flock``; only :func:`_try` would have to learn another way.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from gitscalpel.errors import TryAgain

_PAUSE = 0.002
_LONGEST_PAUSE = 0.05


class Lock(msgspec.Struct, frozen=True):
    """Proof that the lock is held; children that write inherit ``fd``."""

    fd: int


def path(directory: Path, name: str = "lock") -> Path:
    """The file that :func:`hold` locks."""
    return directory / name


@contextmanager
def hold(directory: Path, timeout: float = 10.0, name: str = "lock") -> Iterator[Lock]:
    """Hold the lock file ``name`` in ``directory`` (which is made if need be).

    Raises:
        TryAgain: ``busy``, if another process held it for all of ``timeout`` seconds.
    """
    directory.mkdir(parents=True, exist_ok=True)
    fd = os.open(path(directory, name), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        _wait(fd, timeout)
        os.ftruncate(fd, 0)
        os.pwrite(fd, b"%d\n" % os.getpid(), 0)
        try:
            yield Lock(fd)
        finally:
            _release(fd)
    finally:
        os.close(fd)


@contextmanager
def attempt(file: Path) -> Iterator[Lock | None]:
    """Hold ``file``, or None if another process does."""
    fd = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        if not _try(fd):
            yield None
            return
        try:
            yield Lock(fd)
        finally:
            _release(fd)
    finally:
        os.close(fd)


def _wait(fd: int, timeout: float) -> None:
    deadline = time.monotonic() + timeout
    pause = _PAUSE
    while not _try(fd):
        if time.monotonic() >= deadline:
            holder = os.pread(fd, 32, 0).decode("ascii", "replace").strip() or "unknown"
            raise TryAgain(
                "busy",
                f"another git scalpel (process {holder}) is landing in this repository",
                "try again when it has finished",
                pid=int(holder) if holder.isdigit() else None,
            )
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)


def _try(fd: int) -> bool:
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _release(fd: int) -> None:
    import fcntl

    # Explicitly: a child that is still reading may have the descriptor open for a while.
    fcntl.flock(fd, fcntl.LOCK_UN)
