"""A second process that works for this one: a copy of it, which says one thing after the other.

It spares time and nothing else: whoever has forked it does all that has not been said in time himself. Python
runs one thread at a time, and so does the parser of all languages; two processors take two processes.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import NoReturn

_LOAD = Path("/proc/loadavg")
_THREADS = Path("/proc/self/task")
_SIZE = 4
_PIECE = 1 << 18
_LONGEST = 1 << 28
_TOLD = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
"""By which somebody is told to end, who then ends his child."""
_LOOK = 0.2
"""Seconds from one look to the next at whether the parent is still there."""


def is_idle() -> bool:
    """Whether no more run or wait to run, this process among them, than there are processors; see proc(5)."""
    running, _, _ = _LOAD.read_text("ascii").split()[3].partition("/")
    return int(running) <= (os.cpu_count() or 1)


def is_worthwhile() -> bool:
    """Whether a copy of this process can run, and on a processor of its own.

    A copy has the thread that has forked it and no other, of which one may have held a lock. Those of
    libraries are counted where Linux tells them, and elsewhere no copy is made.
    """
    if sys.platform != "linux" or threading.current_thread() is not threading.main_thread():
        return False
    try:
        is_alone = len(os.listdir(_THREADS)) == 1  # noqa: PTH208 - which is what a Path would do
        return is_alone and len(os.sched_getaffinity(0)) > 1 and is_idle()
    except (OSError, ValueError, IndexError):
        return False


class Forked:
    """A child, for as long as the block lasts.

    Args:
        work: what the child has to say, made there.
    """

    def __init__(self, work: Callable[[], Iterable[bytes]]) -> None:
        self._work = work
        self._child = self._pipe = -1
        self._begun = bytearray()

    def __enter__(self) -> Forked:
        try:
            self._fork()
        except BaseException:
            self._end()
            raise
        return self

    def _fork(self) -> None:
        parent = os.getpid()
        masked = signal.pthread_sigmask(signal.SIG_BLOCK, _TOLD)  # until each knows which of the two it is
        try:
            self._pipe, writing = os.pipe()
            os.set_blocking(self._pipe, False)
            try:
                self._child = os.fork()
                if not self._child:
                    _work(self._work, writing, parent)
            finally:
                os.close(writing)
        except OSError:  # no more processes, memory or files: then there is no child
            self._close()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, masked)

    def heard(self) -> list[bytes]:
        """What it has said since the last time; this does not wait for it."""
        with suppress(BlockingIOError):
            while self._pipe >= 0:
                piece = os.read(self._pipe, _PIECE)
                self._begun += piece
                if not piece:
                    self._close()
        found = []
        while len(self._begun) >= _SIZE:
            end = _SIZE + int.from_bytes(self._begun[:_SIZE], "big")
            if end > _LONGEST:  # it is out of its mind
                self._close()
                self._begun.clear()
            if len(self._begun) < end:
                break
            found.append(bytes(self._begun[_SIZE:end]))
            del self._begun[:end]
        return found

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def dismiss(self) -> None:
        """Have it end, as nothing more is wanted of it: to take its memory apart takes the kernel a while."""
        self._close()
        if self._child > 0:
            with suppress(ProcessLookupError):
                os.kill(self._child, signal.SIGKILL)

    def _end(self) -> None:
        self.dismiss()
        child, self._child = self._child, -1
        if child > 0:
            with suppress(ChildProcessError):
                os.waitpid(child, 0)

    def _close(self) -> None:
        pipe, self._pipe = self._pipe, -1
        if pipe >= 0:
            os.close(pipe)


def _work(work: Callable[[], Iterable[bytes]], pipe: int, parent: int) -> NoReturn:
    """Be the child: it tells nobody else, and leaves whatever it shares with its parent as it is."""
    try:
        gc.disable()
        for number in _TOLD:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGALRM, lambda *_: os._exit(1) if os.getppid() != parent else None)
        signal.setitimer(signal.ITIMER_REAL, _LOOK, _LOOK)
        signal.pthread_sigmask(signal.SIG_SETMASK, set())
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        for said in work():
            _write(pipe, len(said).to_bytes(_SIZE, "big") + said)
    finally:
        os._exit(0)  # whatever went wrong, the parent does what is left


def _write(pipe: int, said: bytes) -> None:
    left = memoryview(said)
    while left:
        left = left[os.write(pipe, left) :]
