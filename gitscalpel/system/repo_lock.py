"""Locks of a repository, the queue before them, and the identity of the boot.

A file lock ends with the last process that has its descriptor open, so no stale lock is left. The queue is
first come, first served. The order of locks is in ``CONTRIBUTING.md``.
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
    """Return the id of this boot. Empty if unknown."""
    if sys.platform == "darwin":
        return _read_sysctl(b"kern.bootsessionuuid").rstrip(b"\0")
    with suppress(OSError):
        return _BOOT_ID.read_bytes().strip()
    return b""


def boot_time() -> float:
    """Return the time of the boot in seconds since the epoch, by the current clock. 0 if unknown."""
    if sys.platform == "darwin":
        return float(int.from_bytes(_read_sysctl(b"kern.boottime")[:8], sys.byteorder))
    with suppress(AttributeError, OSError):
        return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    return 0.0


def _read_sysctl(name: bytes) -> bytes:
    """Return a value of macOS: https://developer.apple.com/documentation/kernel/1387446-sysctlbyname."""
    try:
        import ctypes  # missing in a Python built without libffi

        size = ctypes.c_size_t(64)
        value = ctypes.create_string_buffer(size.value)
        failed = ctypes.CDLL(None).sysctlbyname(name, value, ctypes.byref(size), None, ctypes.c_size_t(0))
    except (ImportError, AttributeError, OSError):
        return b""
    return b"" if failed else value.raw[: size.value]


_TAKEN = ".taken"
_ANSWER_END = b"\n"  # end of an answer, without which it is incomplete


class WaitingProcess(msgspec.Struct, frozen=True):
    """A waiting process: the file of its ticket, and its request.

    The process with the lock may take over the requests of others: one landing then serves them all.
    """

    ticket: Path
    request: bytes

    def take(self) -> WaitingProcess | None:
        """Take over the request. None if the process has given up, or another one was faster.

        The ticket is renamed, so a waiter that gives up, and removes it by the old name, no longer can.
        """
        new_ticket = self.ticket if self.is_taken else self.ticket.with_name(self.ticket.name + _TAKEN)
        with suppress(FileNotFoundError):
            self.ticket.rename(new_ticket)
            return WaitingProcess(new_ticket, self.request)
        return None

    @property
    def is_taken(self) -> bool:
        """Return True if a process took over the request. It may have died since."""
        return self.ticket.name.endswith(_TAKEN)

    def answer(self, content: bytes) -> None:
        """Write the result for the waiting process, which may have ended."""
        with suppress(OSError, Damaged), private_files.hold_open(self.ticket, os.O_WRONLY) as fd:
            os.pwrite(fd, content + _ANSWER_END, len(self.request))


class QueueTicket:
    """A ticket in a queue directory, with a request. Its file is locked, so dead waiters are known."""

    def __init__(self, folder: Path, request: bytes) -> None:
        private_files.ensure_folder(folder)
        self._request = request
        self._ticket = folder / f"{time.monotonic_ns():020}.{os.urandom(4).hex()}"
        self._fd = private_files.open_private(self._ticket, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        try_lock(self._fd)
        os.pwrite(self._fd, request, 0)

    def wait(self, lock: int, interval_s: float, check_progress: Callable[[str], None]) -> bytes | None:
        """Wait until the lock is free for this ticket, or another process has carried out the request.

        Args:
            lock: descriptor of the lock file, which is then locked.
            interval_s: seconds between calls of ``check_progress``.
            check_progress: callback with the ticket ahead. It raises to give up.

        Returns:
            the answer of the process that did it. None if the lock is ours.
        """
        while True:
            ahead, fd = _find_ahead(self._ticket)
            wait = _LockWait(lock if fd is None else fd)
            try:
                check_progress(ahead)
                while not wait.wait(interval_s):
                    check_progress(ahead)
            finally:
                if fd is not None:
                    os.close(fd)
            answer = self._read_answer()
            if answer is not None or fd is None:
                return answer

    @property
    def was_taken(self) -> bool:
        """Return True if a process took over the request. It may have carried it out without an answer."""
        return not self._ticket.exists()

    def give_up(self) -> bool:
        """Withdraw the request. Return False if a process has already taken it."""
        try:
            self._ticket.unlink()
        except FileNotFoundError:
            return False
        return True

    def leave(self) -> None:
        for ticket in (self._ticket, self._ticket.with_name(self._ticket.name + _TAKEN)):
            ticket.unlink(missing_ok=True)
        os.close(self._fd)

    def _read_answer(self) -> bytes | None:
        size, start = os.fstat(self._fd).st_size, len(self._request)
        answer = os.pread(self._fd, size - start, start) if size > start else b""
        return answer.removesuffix(_ANSWER_END) if answer.endswith(_ANSWER_END) else None


def iter_waiting(folder: Path) -> Iterator[WaitingProcess]:
    """Yield live tickets with a request, in the order of arrival."""
    for name in sorted(ticket_names(folder)):
        with suppress(OSError, Damaged):
            if not _is_dead(folder / name):
                request = private_files.read(folder / name)
                if request and not request.endswith(_ANSWER_END):
                    yield WaitingProcess(folder / name, request)


def ticket_names(folder: Path) -> list[str]:
    """Return the tickets in a queue. Raises ``Damaged`` (``corrupt``) if it is not a directory."""
    try:
        return os.listdir(folder)  # noqa: PTH208 - only names are needed
    except FileNotFoundError:
        return []
    except NotADirectoryError:
        raise private_files.foreign_file_error(folder) from None


def try_lock(fd: int) -> bool:
    """Lock an open file. Return False if another process has locked it."""
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _find_ahead(ticket: Path) -> tuple[str, int | None]:
    """Return the nearest live ticket before ``ticket``, and its descriptor. Dead tickets are removed."""
    for name in sorted(ticket_names(ticket.parent), reverse=True):
        if name < ticket.name:
            with suppress(FileNotFoundError):  # its process is done
                fd = private_files.open_private(ticket.parent / name, os.O_RDWR)
                if not try_lock(fd):
                    return name, fd
                os.close(fd)
                (ticket.parent / name).unlink(missing_ok=True)
    return "", None


def _is_dead(ticket: Path) -> bool:
    with private_files.hold_open(ticket, os.O_RDWR) as fd:
        return try_lock(fd)


class _LockWait:
    """Waits in a thread for the lock of a file, and takes it.

    The system wakes a waiter at once, while polling would take CPU time from the working processes. But it
    cannot be interrupted, hence the thread.
    """

    def __init__(self, fd: int) -> None:
        self._locked = threading.Event()
        if try_lock(fd):
            self._locked.set()
        else:
            # Its own descriptor: the number of a closed one may soon belong to another file.
            threading.Thread(target=self._lock_blocking, args=(os.dup(fd),), daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Wait at most ``seconds``. Return True if the file is locked by us."""
        return self._locked.wait(seconds)

    def _lock_blocking(self, fd: int) -> None:
        import fcntl

        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            self._locked.set()
        finally:
            os.close(fd)


# Seconds without progress of the lock's holder after which a waiter gives up. With 64 writers some take ten
# seconds, and a shared disk may stall for half a minute.
PATIENCE_S = 60.0
# Bytes of a sign of life. It overwrites the last one, since file systems flush truncated files.
_SIGN_BYTES = 64
_PROGRESS_CHECK_S = 1.0  # seconds between a waiter's checks for progress
SIGN_INTERVAL_S = 2.0  # seconds between signs of life


class Lock(msgspec.Struct, frozen=True):
    """A held lock. Children that write inherit the descriptor ``fd``."""

    fd: int
    was_taken: bool = False  # a process took over the request, and gave no answer
    # The user interrupted the wait when the request could no longer be withdrawn.
    was_interrupted: bool = False


class ServedAnswer(msgspec.Struct, frozen=True):
    """The answer of the process that has carried out the request."""

    answer: bytes


@contextmanager
def hold_lock(directory: Path, timeout: float = PATIENCE_S, name: str = "lock") -> Iterator[Lock]:
    """Hold the lock file ``name`` in ``directory`` (made if it does not exist).

    Waiting processes queue, so that none starves. The wait lasts as long as the queue moves.

    Raises:
        TryAgain: ``busy``: the queue did not move for ``timeout`` seconds.
        Damaged: ``corrupt``: a link or foreign file is in place of the lock.
    """
    with hold_unless_served(directory, name, timeout, bytes) as held:
        assert isinstance(held, Lock)  # noqa: S101 - without a request there is no answer
        yield held


@contextmanager
def hold_unless_served(
    directory: Path, name: str, timeout: float, make_request: Callable[[], bytes]
) -> Iterator[Lock | ServedAnswer]:
    """Hold a lock, unless the process that has it carries out the request: then yield its answer.

    The first arguments are those of :func:`hold_lock`. The request is asked for only if the lock is taken.
    """
    private_files.ensure_folder(directory)
    with private_files.hold_open(directory / name, os.O_RDWR | os.O_CREAT) as fd:
        folder = _queue_folder(directory, name)
        lock: Lock | ServedAnswer = Lock(fd)
        if ticket_names(folder) or not try_lock(fd):
            lock = _wait_in_queue(fd, folder, timeout, make_request())
        if isinstance(lock, ServedAnswer):
            yield lock
            return
        _write_sign(fd)
        try:
            yield lock
        finally:
            _release(fd)


def iter_queue(directory: Path, name: str) -> Iterator[WaitingProcess]:
    """Yield the processes that wait for the lock with a request."""
    return iter_waiting(_queue_folder(directory, name))


@contextmanager
def signal_progress(lock: Lock) -> Iterator[None]:
    """Give signs of life to waiting processes during the block, which may take minutes."""
    ended, signing = threading.Lock(), threading.Lock()
    ended.acquire()
    is_held = True

    def sign() -> None:
        while not ended.acquire(timeout=SIGN_INTERVAL_S):
            with signing:
                if is_held:
                    _write_sign(lock.fd)

    # Unlike a `Thread`, its start and end are not waited for: the block usually ends before a sign.
    _thread.start_new_thread(sign, ())
    try:
        yield
    finally:
        with signing:
            is_held = False
        ended.release()


def _write_sign(fd: int) -> None:
    os.pwrite(fd, (b"%d %d" % (os.getpid(), time.monotonic_ns())).ljust(_SIGN_BYTES - 1) + b"\n", 0)


@contextmanager
def try_hold_lock(file: Path, *, create: bool = True) -> Iterator[Lock | None]:
    """Hold ``file``, or yield None if another process does.

    Raises:
        FileNotFoundError: it does not exist, and ``create`` is False.
        Damaged: ``corrupt``: it is a link or not a regular file.
    """
    with private_files.hold_open(file, os.O_RDWR | (os.O_CREAT if create else 0)) as fd:
        if not try_lock(fd):
            yield None
            return
        try:
            yield Lock(fd)
        finally:
            _release(fd)


def find_lock_holder(directory: Path, name: str = "lock") -> str | None:
    """Return the process id that holds the lock file ``name``. None if it is free."""
    try:
        fd = private_files.open_private(directory / name, os.O_RDWR)
    except (OSError, Damaged):
        return None
    try:
        if not try_lock(fd):
            return _parse_holder(os.pread(fd, _SIGN_BYTES, 0))
        _release(fd)
        return None
    finally:
        os.close(fd)


def _parse_holder(sign: bytes) -> str:
    return (sign.decode("ascii", "replace").split() or ["unknown"])[0]


def _queue_folder(directory: Path, name: str) -> Path:
    return directory / f"{name}.line"


def _wait_in_queue(fd: int, folder: Path, timeout: float, request: bytes) -> Lock | ServedAnswer:
    ticket = QueueTicket(folder, request)
    last_signs, deadline, was_interrupted = b"", time.monotonic() + timeout, False

    def check_progress(ahead: str) -> None:
        nonlocal last_signs, deadline
        holder = os.pread(fd, _SIGN_BYTES, 0)
        now, signs = time.monotonic(), holder + os.fsencode(ahead)
        if signs != last_signs:
            last_signs, deadline = signs, now + timeout
        elif now >= deadline and ticket.give_up():
            raise _busy_error(holder)
        elif now >= deadline + timeout:
            raise _busy_error(holder).but(more=f"; it may do this one yet: look at {call('log')} before")

    try:
        try:
            answer = ticket.wait(fd, min(_PROGRESS_CHECK_S, timeout / 2), check_progress)
        except KeyboardInterrupt:
            if ticket.give_up():
                raise
            was_interrupted = True  # too late, another process carries it out
            answer = ticket.wait(fd, min(_PROGRESS_CHECK_S, timeout / 2), check_progress)
        if answer is None:
            return Lock(fd, ticket.was_taken, was_interrupted)
        _release(fd)  # for the next in the queue
        return ServedAnswer(answer)
    finally:
        ticket.leave()


def _busy_error(sign: bytes) -> TryAgain:
    holder = _parse_holder(sign)
    return TryAgain(
        "busy",
        f"another git scalpel (process {holder}) is landing in this repository",
        "try again when it has finished",
        pid=int(holder) if holder.isdigit() else None,
    )


def _release(fd: int) -> None:
    import fcntl

    # Explicitly, since a child that is still reading may keep the descriptor open.
    fcntl.flock(fd, fcntl.LOCK_UN)
