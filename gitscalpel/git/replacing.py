"""Takes a file's place only while it is what somebody has looked at, with no moment in between.

Looking and then renaming would overwrite what an editor has written between the two. So the two files change
places in one system call (``renameat2`` with ``RENAME_EXCHANGE``, Linux; ``renamex_np`` with ``RENAME_SWAP``,
macOS), and what has come away is looked at afterwards: if it is something else, it goes back. Where a system
has no such call, the moment stays.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from gitscalpel.system.failpoint import step

_AT_HERE, _EXCHANGE, _SWAP = -100, 2, 2
_PAUSE = 0.002
"""Seconds from one look at whether somebody still writes to the next."""


Identity = tuple[int, int, int]


class Changed(Exception):
    """A file is not what it was when it was looked at; it has been left as it is.

    Attributes:
        left: what came away from there and cannot go back, since somebody has saved again; None: nothing.
    """

    def __init__(self, left: Path | None = None) -> None:
        super().__init__()
        self.left = left


class Patience:
    """For how long, in all, whoever writes into old files is waited for."""

    def __init__(self, seconds: float = 1.0) -> None:
        self.left = seconds


def replace(new: Path, full: Path, is_expected: Callable[[Path], bool], patience: Patience) -> None:
    """Put the file ``new`` in the place of ``full``, whose old state goes away if it ``is_expected``.

    Raises:
        Changed: it is not; ``new`` is gone.
    """
    ours = identity(new)
    try:
        exchanged = _exchange(new, full)
    except FileNotFoundError:
        new.unlink()
        raise Changed from None
    if not exchanged:
        new.rename(full)
        return
    _wait_for_writers(new, patience)
    step()
    if is_expected(new):
        new.unlink()
        return
    raise Changed(give_back(new, full, ours))


def place(new: Path, full: Path) -> None:
    """Put the file ``new`` where nothing is.

    Raises:
        Changed: something is there; ``new`` is gone.
    """
    if put_back(new, full) is not None:
        new.unlink()
        raise Changed


def take_away(full: Path, aside: Path, is_expected: Callable[[Path], bool], patience: Patience) -> None:
    """Remove ``full``, if it ``is_expected``; ``aside`` is where it is looked at.

    Raises:
        Changed: it is not.
    """
    with suppress(FileNotFoundError, NotADirectoryError):
        full.rename(aside)
        _wait_for_writers(aside, patience)
        step()
        if not is_expected(aside):
            raise Changed(put_back(aside, full))
        aside.unlink()


def put_back(aside: Path, full: Path) -> Path | None:
    """Put what came away from ``full`` back there, unless somebody has saved again: then it is left."""
    try:
        os.link(aside, full, follow_symlinks=False)
    except FileExistsError:
        return aside
    except (OSError, NotImplementedError):  # a file system, or a system, without links
        aside.rename(full)
        return None
    aside.unlink()
    return None


def give_back(aside: Path, full: Path, ours: Identity) -> Path | None:
    """Put what came away from ``full`` back there, where we have left ``ours``.

    Returns:
        what is left where somebody has written into ``ours`` meanwhile, which is newer and stays. Who puts a
        file of his own in the place of ``ours`` would have done so with what came away.
    """
    putting = identity(aside)
    try:
        if not _exchange(aside, full):
            aside.rename(full)
            return None
    except FileNotFoundError:  # somebody has removed what we had left
        return put_back(aside, full)
    newer = identity(aside)
    if newer == ours:
        aside.unlink()
        return None
    with suppress(FileNotFoundError):  # somebody has removed what went back: the newer one is left
        if identity(full) == putting:  # else somebody has saved once more
            _exchange(aside, full)
    if identity(aside) == putting and newer[0] != ours[0]:
        aside.unlink()
        return None
    return aside


def identity(path: Path) -> Identity:
    """What tells a file from others, and from itself once somebody has written into it."""
    status = os.lstat(path)
    return status.st_ino, status.st_mtime_ns, status.st_size


def _exchange(a: Path, b: Path) -> bool:
    """Let two files change places; whether the system can. Raises ``OSError``."""
    names = (os.fsencode(a), os.fsencode(b))
    try:
        import ctypes  # which a Python that was built without libffi has not

        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            failed = library.renamex_np(*names, _SWAP)
        else:
            failed = library.renameat2(_AT_HERE, names[0], _AT_HERE, names[1], _EXCHANGE)
    except (ImportError, AttributeError, OSError, TypeError):  # neither glibc 2.28 nor macOS
        return False
    if not failed:
        return True
    import errno

    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):  # an old kernel, or this file system
        return False
    raise OSError(number, os.strerror(number), str(b))


def _wait_for_writers(path: Path, patience: Patience) -> None:
    """Wait until nobody has the file open for writing, where the system tells; not for ever.

    Who had opened it before it came away writes into it still.
    """
    try:
        import fcntl

        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(path, flags)
    except (ImportError, OSError):  # a link has no writers
        return
    began = time.monotonic()
    try:
        while time.monotonic() - began <= patience.left:
            try:
                # A lease that somebody breaks would end this process: SIGIO. The other signal is ignored.
                fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
                # A lease for reading is given where nobody writes: fcntl(2).
                fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            except BlockingIOError:
                time.sleep(_PAUSE)
            except (OSError, AttributeError):  # the file is somebody else's, or this is not Linux
                return
            else:
                fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
                return
    finally:
        patience.left -= time.monotonic() - began
        os.close(descriptor)
