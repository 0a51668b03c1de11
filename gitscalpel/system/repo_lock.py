"""Locks of a repository, the queue before them, and the boot that outlives none.

A file lock ends with the last process that has its descriptor open, so no stale lock is left. Windows
has no ``flock``; only :func:`try_lock` would need another way.

Locks are taken in one order: the branch lock, under which commands may run for minutes, then this lock,
then refs, then ``index.lock``. The pool lock may be taken under the branch lock; a process that has the
pool lock waits for no other. Slots, scratch directories and ``gc.lock`` are tried, never waited for.

The queue is first come, first served. Each waiter has a ticket, a file that it holds by a file lock, so
dead waiters are known. The process with the lock may take the tickets of others, do what they ask and
write the answer below: one landing then serves them all. A ticket is taken by renaming it, so a waiter
who gives up, and removes it by the old name, no longer can. The process that takes a ticket checks it,
not this module: see ``transaction/group_landing.py``.

A lock file of git's outlives a power cut, unlike a lock held by the system, but its process does not. On
Linux and macOS the system distinguishes boots by an id, whatever the clock says.
"""

from __future__ import annotations

import _thread
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import msgspec

from gitscalpel.errors import Damaged, TryAgain
from gitscalpel.errors.messages import call
from gitscalpel.system import private_files

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")  # random(4)


@cache
def boot_identity() -> bytes:
    """What this start of the machine is called; empty where nobody knows."""
    if sys.platform == "darwin":
        return _sysctl(b"kern.bootsessionuuid").rstrip(b"\0")
    with suppress(OSError):
        return _BOOT_ID.read_bytes().strip()
    return b""


def boot_time() -> float:
    """When it was, in seconds since the epoch by the clock as it goes now; 0 where nobody knows."""
    if sys.platform == "darwin":
        return float(int.from_bytes(_sysctl(b"kern.boottime")[:8], sys.byteorder))
    with suppress(AttributeError, OSError):
        return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    return 0.0


def _sysctl(name: bytes) -> bytes:
    """A value of macOS: https://developer.apple.com/documentation/kernel/1387446-sysctlbyname."""
    try:
        import ctypes  # which a Python that was built without libffi has not

        size = ctypes.c_size_t(64)
        value = ctypes.create_string_buffer(size.value)
        failed = ctypes.CDLL(None).sysctlbyname(name, value, ctypes.byref(size), None, ctypes.c_size_t(0))
    except (ImportError, AttributeError, OSError):
        return b""
    return b"" if failed else value.raw[: size.value]


_TAKEN = ".taken"
_END = b"\n"
"""Of an answer, which is read when it is there in full."""


class Waiting(msgspec.Struct, frozen=True):
    """Somebody in line.

    Attributes:
        ticket: his file.
        wish: what he has written down.
    """

    ticket: Path
    wish: bytes

    def take(self) -> Waiting | None:
        """Make what he wishes one's own task; None: he has given up, or somebody else has done it."""
        taken = self.ticket if self.is_taken else self.ticket.with_name(self.ticket.name + _TAKEN)
        with suppress(FileNotFoundError):
            self.ticket.rename(taken)
            return Waiting(taken, self.wish)
        return None

    @property
    def is_taken(self) -> bool:
        """Whether somebody has taken it; he may have died since."""
        return self.ticket.name.endswith(_TAKEN)

    def answer(self, said: bytes) -> None:
        """Tell him what became of it; he may be gone."""
        with suppress(OSError, Damaged):
            fd = private_files.opened(self.ticket, os.O_WRONLY)
            try:
                os.pwrite(fd, said + _END, len(self.wish))
            finally:
                os.close(fd)


class Place:
    """A place in line, from its coming to its leaving.

    Args:
        line: the folder.
        wish: what to write down.
    """

    def __init__(self, line: Path, wish: bytes) -> None:
        private_files.folder(line)
        self._wish = wish
        self._ticket = line / f"{time.monotonic_ns():020}.{os.urandom(4).hex()}"
        self._fd = private_files.opened(self._ticket, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        try_lock(self._fd)
        os.pwrite(self._fd, wish, 0)

    def wait(self, lock: int, look: float, moved: Callable[[str], None]) -> bytes | None:
        """Wait until it is one's turn and the lock is free, or until somebody has done what was wished.

        Args:
            lock: the open lock file, which is locked then.
            look: seconds after which it is looked whether anything moves.
            moved: told then who is ahead; raises to give up.

        Returns:
            the answer of who has done it; None: there is none, and the lock is locked.
        """
        while True:
            ahead, before = _ahead(self._ticket)
            free = _Free(lock if before is None else before)
            try:
                moved(ahead)
                while not free.wait(look):
                    moved(ahead)
            finally:
                if before is not None:
                    os.close(before)
            said = self._answer()
            if said is not None or before is None:
                return said

    @property
    def was_taken(self) -> bool:
        """Whether somebody has taken the wish, and may have done it though there is no answer."""
        return not self._ticket.exists()

    def give_up(self) -> bool:
        """Whether nobody has taken the wish; from now on nobody can."""
        try:
            self._ticket.unlink()
        except FileNotFoundError:
            return False
        return True

    def leave(self) -> None:
        """Go."""
        for ticket in (self._ticket, self._ticket.with_name(self._ticket.name + _TAKEN)):
            ticket.unlink(missing_ok=True)
        os.close(self._fd)

    def _answer(self) -> bytes | None:
        size, wish = os.fstat(self._fd).st_size, len(self._wish)
        said = os.pread(self._fd, size - wish, wish) if size > wish else b""
        return said.removesuffix(_END) if said.endswith(_END) else None


def waiting(line: Path) -> Iterator[Waiting]:
    """Those in line who live and have written something down, in the order of their coming."""
    for name in sorted(ticket_names(line)):
        with suppress(OSError, Damaged):
            if not _is_dead(line / name):
                wish = private_files.read(line / name)
                if wish and not wish.endswith(_END):
                    yield Waiting(line / name, wish)


def ticket_names(line: Path) -> list[str]:
    """The tickets in a line.

    Raises:
        Damaged: ``corrupt``: something else stands there.
    """
    try:
        return os.listdir(line)  # noqa: PTH208 - names, and nothing made of them
    except FileNotFoundError:
        return []
    except NotADirectoryError:
        raise private_files.odd(line) from None


def try_lock(fd: int) -> bool:
    """Lock an open file, unless somebody has."""
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _ahead(place: Path) -> tuple[str, int | None]:
    """The nearest in line before ``place`` who is alive, and his open ticket; the dead are taken away."""
    for name in sorted(ticket_names(place.parent), reverse=True):
        if name < place.name:
            with suppress(FileNotFoundError):  # it has had its turn
                fd = private_files.opened(place.parent / name, os.O_RDWR)
                if not try_lock(fd):
                    return name, fd
                os.close(fd)
                (place.parent / name).unlink(missing_ok=True)
    return "", None


def _is_dead(ticket: Path) -> bool:
    fd = private_files.opened(ticket, os.O_RDWR)
    try:
        return try_lock(fd)
    finally:
        os.close(fd)


class _Free:
    """Whether a file is not locked any more: then it is locked by us.

    The system wakes who waits for a lock at once, where looking again and again would take from those who
    work. It gives up for nothing but the lock, hence the thread.
    """

    def __init__(self, fd: int) -> None:
        self._got = threading.Event()
        if try_lock(fd):
            self._got.set()
        else:
            # Its own descriptor: the number of one that is closed may be another file's a moment later.
            threading.Thread(target=self._wait, args=(os.dup(fd),), daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Wait for so long at most."""
        return self._got.wait(seconds)

    def _wait(self, fd: int) -> None:
        import fcntl

        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            self._got.set()
        finally:
            os.close(fd)


PATIENCE = 60.0
"""Seconds to wait for one who holds it and does not move: under 64 writers some take ten, and a disk that is
shared with others may stand still for half a minute."""
_SIGNED = 64
"""Bytes of a sign: it is written over the one before, since file systems flush what is cut and written."""
_LOOK = 1.0
"""Seconds after which who waits looks whether anything has moved."""
SIGN_INTERVAL_S = 2.0
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
    fd = private_files.opened(directory / name, os.O_RDWR | os.O_CREAT)
    try:
        line = _line(directory, name)
        got: Lock | Heard = Lock(fd)
        if ticket_names(line) or not try_lock(fd):
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
        while not ended.acquire(timeout=SIGN_INTERVAL_S):
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
