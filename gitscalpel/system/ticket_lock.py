"""Queue before a lock: first come, first served, with a note of what each waiting process wants.

Each waiter has a ticket, a file that it holds by a file lock, so dead waiters are known. The process
with the lock may take the tickets of others, do what they ask and write the answer below: one landing
then serves them all. A ticket is taken by renaming it, so a waiter who gives up, and removes it by the
old name, no longer can. The process that takes a ticket checks it, not this module: see
``transaction/land/group_landing.py``.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from gitscalpel.errors import Damaged
from gitscalpel.system import private_files

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
    for name in sorted(names(line)):
        with suppress(OSError, Damaged):
            if not _is_dead(line / name):
                wish = private_files.read(line / name)
                if wish and not wish.endswith(_END):
                    yield Waiting(line / name, wish)


def names(line: Path) -> list[str]:
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
    for name in sorted(names(place.parent), reverse=True):
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
