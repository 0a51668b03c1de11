"""The tool's lock: one landing at a time in a repository and all its worktrees.

A file lock dies with the last process that holds its descriptor, so nothing
stale is left behind. Windows has no ``flock``; only :func:`_try` would have to learn another way.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from gitscalpel import private
from gitscalpel.errors import Damaged, TryAgain

PATIENCE = 60.0
"""Seconds to wait for one who holds it and does not move: under 64 writers some take ten, and a disk that is
shared with others may stand still for half a minute."""
_SIGNED = 64
"""Bytes of a sign: it is written over the one before, since file systems flush what is cut and written."""
_PAUSE = 0.002
_LONGEST_PAUSE = 0.01
_SIGN = 2.0
"""Seconds from one sign of life to the next."""
_IN_LINE = 0.03
"""Between two looks, for who is not the next; a landing takes several times as long."""


class Lock(msgspec.Struct, frozen=True):
    """Proof that the lock is held; children that write inherit ``fd``."""

    fd: int


def path(directory: Path, name: str = "lock") -> Path:
    """The file that :func:`hold` locks."""
    return directory / name


@contextmanager
def hold(directory: Path, timeout: float = PATIENCE, name: str = "lock") -> Iterator[Lock]:
    """Hold the lock file ``name`` in ``directory`` (which is made if need be).

    Who waits stands in line, so that nobody starves; as long as others come and go, waiting is not in vain.

    Raises:
        TryAgain: ``busy``, if nothing moved in the line for ``timeout`` seconds.
        Damaged: ``corrupt``: there is a link, or something else that is not ours.
    """
    private.folder(directory)
    fd = private.opened(path(directory, name), os.O_RDWR | os.O_CREAT)
    try:
        line = directory / f"{name}.line"
        if _waiting(line) or not _try(fd):
            _stand(fd, line, timeout)
        _sign(fd)
        try:
            yield Lock(fd)
        finally:
            _release(fd)
    finally:
        os.close(fd)


@contextmanager
def moving(lock: Lock) -> Iterator[None]:
    """Tell those who wait that the line moves, for as long as the block lasts: that may be minutes."""
    ended = threading.Event()

    def sign() -> None:
        while not ended.wait(_SIGN):
            _sign(lock.fd)

    signing = threading.Thread(target=sign, daemon=True)
    signing.start()
    try:
        yield
    finally:
        ended.set()
        signing.join()


def _sign(fd: int) -> None:
    """Write down who holds it, and that he does so just now."""
    os.pwrite(fd, (b"%d %d" % (os.getpid(), time.monotonic_ns())).ljust(_SIGNED - 1) + b"\n", 0)


@contextmanager
def attempt(file: Path, *, create: bool = True) -> Iterator[Lock | None]:
    """Hold ``file``, or None if another process does.

    Raises:
        FileNotFoundError: it is not there, and not to be made.
        Damaged: ``corrupt``: there is a link or no file.
    """
    fd = private.opened(file, os.O_RDWR | (os.O_CREAT if create else 0))
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


def holder(directory: Path, name: str = "lock") -> str | None:
    """The process that holds the lock file ``name`` just now, as it has written down; None: nobody does."""
    try:
        fd = private.opened(directory / name, os.O_RDWR)
    except (OSError, Damaged):
        return None
    try:
        if _try(fd):
            _release(fd)
            return None
        return (os.pread(fd, _SIGNED, 0).decode("ascii", "replace").split() or ["unknown"])[0]
    finally:
        os.close(fd)


def _stand(fd: int, line: Path, timeout: float) -> None:
    """Wait in line: behind everybody who came before and is still alive."""
    private.folder(line)
    place = line / f"{time.monotonic_ns():020}.{os.urandom(4).hex()}"
    ticket = private.opened(place, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    try:
        _try(ticket)
        _wait(fd, place, timeout)
    finally:
        place.unlink(missing_ok=True)
        os.close(ticket)


def _wait(fd: int, place: Path, timeout: float) -> None:
    pause, seen, deadline = _PAUSE, b"", time.monotonic()
    while True:
        ahead = _ahead(place)
        if ahead is None and _try(fd):
            return
        holder = os.pread(fd, _SIGNED, 0)
        now, moved = time.monotonic(), holder + os.fsencode(ahead or b"")
        if moved != seen:
            seen, deadline = moved, now + timeout
        elif now >= deadline:
            raise _busy(holder)
        time.sleep(pause if ahead is None else _IN_LINE)
        pause = min(pause * 2, _LONGEST_PAUSE)


def _ahead(place: Path) -> str | None:
    """The nearest in line before ``place`` who is alive; the dead are taken away."""
    for name in sorted(_waiting(place.parent), reverse=True):
        if name < place.name:
            try:
                with attempt(place.parent / name, create=False) as dead:
                    if dead is None:
                        return name
                    (place.parent / name).unlink(missing_ok=True)
            except FileNotFoundError:
                pass  # it has had its turn
    return None


def _waiting(line: Path) -> list[str]:
    try:
        return os.listdir(line)  # noqa: PTH208 - names, and nothing made of them
    except FileNotFoundError:
        return []
    except NotADirectoryError:
        raise private.odd(line) from None


def _busy(content: bytes) -> TryAgain:
    holder = (content.decode("ascii", "replace").split() or ["unknown"])[0]
    return TryAgain(
        "busy",
        f"another git scalpel (process {holder}) is landing in this repository",
        "try again when it has finished",
        pid=int(holder) if holder.isdigit() else None,
    )


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
