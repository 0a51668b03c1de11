"""The repository's lock: one landing at a time in a repository and all its worktrees.

A file lock ends with the last process that has its descriptor open, so no stale lock is left. Windows
has no ``flock``; only :func:`gitscalpel.system.ticket_lock.try_lock` would need another way.

Locks are taken in one order: the branch lock, under which commands may run for minutes, then this lock,
then refs, then ``index.lock``. The pool lock may be taken under the branch lock; a process that has the
pool lock waits for no other. Slots, scratch directories and ``gc.lock`` are tried, never waited for.
"""

from __future__ import annotations

import _thread
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from gitscalpel.errors import Damaged, TryAgain
from gitscalpel.errors.messages import call
from gitscalpel.system import private_files
from gitscalpel.system.ticket_lock import Place, Waiting, names, try_lock, waiting

PATIENCE = 60.0
"""Seconds to wait for one who holds it and does not move: under 64 writers some take ten, and a disk that is
shared with others may stand still for half a minute."""
_SIGNED = 64
"""Bytes of a sign: it is written over the one before, since file systems flush what is cut and written."""
_LOOK = 1.0
"""Seconds after which who waits looks whether anything has moved."""
_SIGN = 2.0
"""Seconds from one sign of life to the next."""


class Lock(msgspec.Struct, frozen=True):
    """Proof that the lock is held; children that write inherit ``fd``.

    ``was_taken``: somebody had set out to do what was wished, and has told nothing of it.
    ``was_interrupted``: whoever has it should have given up, and could not, since it may have been done.
    """

    fd: int
    was_taken: bool = False
    was_interrupted: bool = False


class Heard(msgspec.Struct, frozen=True):
    """What somebody says who had the lock, and has done what was wished."""

    answer: bytes


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
    with hold_unless_served(directory, name, timeout, bytes) as held:
        assert isinstance(held, Lock)  # noqa: S101 - who wishes for nothing is not served
        yield held


@contextmanager
def hold_unless_served(
    directory: Path, name: str, timeout: float, wish: Callable[[], bytes]
) -> Iterator[Lock | Heard]:
    """The same, unless somebody who has the lock does what was to be done: then only his answer is given.

    Args:
        directory: as for :func:`hold`.
        name: likewise.
        timeout: likewise.
        wish: what is to be done, for :func:`in_line`; asked for only where one has to wait.
    """
    private_files.folder(directory)
    fd = private_files.opened(path(directory, name), os.O_RDWR | os.O_CREAT)
    try:
        line = _line(directory, name)
        got: Lock | Heard = Lock(fd)
        if names(line) or not try_lock(fd):
            got = _stand(fd, line, timeout, wish())
        if isinstance(got, Heard):
            yield got
            return
        _sign(fd)
        try:
            yield got
        finally:
            _release(fd)
    finally:
        os.close(fd)


def in_line(directory: Path, name: str) -> Iterator[Waiting]:
    """Those who wait for the lock and have written down what for."""
    return waiting(_line(directory, name))


@contextmanager
def moving(lock: Lock) -> Iterator[None]:
    """Tell those who wait that the line moves, for as long as the block lasts: that may be minutes."""
    ended, signing = threading.Lock(), threading.Lock()
    ended.acquire()
    is_held = True

    def sign() -> None:
        while not ended.acquire(timeout=_SIGN):
            with signing:
                if is_held:
                    _sign(lock.fd)

    # Nobody waits until it runs, or is gone, as for a `Thread`: nearly always the block ends before a sign.
    _thread.start_new_thread(sign, ())
    try:
        yield
    finally:
        with signing:
            is_held = False
        ended.release()


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
    fd = private_files.opened(file, os.O_RDWR | (os.O_CREAT if create else 0))
    try:
        if not try_lock(fd):
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
        fd = private_files.opened(directory / name, os.O_RDWR)
    except (OSError, Damaged):
        return None
    try:
        if try_lock(fd):
            _release(fd)
            return None
        return (os.pread(fd, _SIGNED, 0).decode("ascii", "replace").split() or ["unknown"])[0]
    finally:
        os.close(fd)


def _line(directory: Path, name: str) -> Path:
    return directory / f"{name}.line"


def _stand(fd: int, line: Path, timeout: float, wish: bytes) -> Lock | Heard:
    """Wait in line: behind everybody who came before and is still alive."""
    place = Place(line, wish)
    seen, deadline, was_interrupted = b"", time.monotonic() + timeout, False

    def moved(ahead: str) -> None:
        nonlocal seen, deadline
        holder = os.pread(fd, _SIGNED, 0)
        now, signs = time.monotonic(), holder + os.fsencode(ahead)
        if signs != seen:
            seen, deadline = signs, now + timeout
        elif now >= deadline and place.give_up():
            raise _busy(holder)
        elif now >= deadline + timeout:
            raise _busy(holder).but(more=f"; it may do this one yet: look at {call('log')} before")

    try:
        try:
            answer = place.wait(fd, min(_LOOK, timeout / 2), moved)
        except KeyboardInterrupt:
            if place.give_up():
                raise
            was_interrupted = True  # too late: it is being done
            answer = place.wait(fd, min(_LOOK, timeout / 2), moved)
        if answer is None:
            return Lock(fd, place.was_taken, was_interrupted)
        _release(fd)  # for whoever is next
        return Heard(answer)
    finally:
        place.leave()


def _busy(content: bytes) -> TryAgain:
    holder = (content.decode("ascii", "replace").split() or ["unknown"])[0]
    return TryAgain(
        "busy",
        f"another git scalpel (process {holder}) is landing in this repository",
        "try again when it has finished",
        pid=int(holder) if holder.isdigit() else None,
    )


def _release(fd: int) -> None:
    import fcntl

    # Explicitly: a child that is still reading may have the descriptor open for a while.
    fcntl.flock(fd, fcntl.LOCK_UN)
