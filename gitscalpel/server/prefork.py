"""Children forked in advance to wait for calls, because a fork takes as long as the rest of the start."""

from __future__ import annotations

import os
import select
import signal
import socket
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple, NoReturn

from gitscalpel.server import child

_MOST = 3
"""Where one call follows another, the next child has had the time of two to get ready."""
FEWEST = 2
"""While a call is done, no more get ready: they would take the processor from it."""
UNHURRIED = 5
"""Milliseconds without a call, after which more get ready, and a child that waits has pages copied: before,
somebody may need the processor."""


class _Spare(NamedTuple):
    handed: socket.socket
    child: int


class Spares:
    """Those that wait now.

    Args:
        itself: whom they come from.
        held: what the server has open that is no business of a child.
    """

    def __init__(self, itself: child.Server, held: Callable[[], Iterable[socket.socket]]) -> None:
        self._itself, self._held = itself, held
        self._waiting: deque[_Spare] = deque()

    @property
    def are_enough(self) -> bool:
        """Whether as many wait as there should be."""
        return len(self._waiting) >= _MOST

    def fill(self, fewest: int = _MOST) -> None:
        """Have so many wait."""
        while len(self._waiting) < fewest:
            self._fork()

    def hand(self, line: socket.socket) -> int:
        """Give a caller's line to the one that has waited longest, which is told."""
        spare = self._waiting.popleft()
        with suppress(OSError):  # it was killed; the caller sees that nobody begins
            socket.send_fds(spare.handed, [b"."], [line.fileno()])
        spare.handed.close()
        return spare.child

    def dismiss(self) -> None:
        """Have none wait any longer."""
        while self._waiting:
            self._waiting.popleft().handed.close()

    def _fork(self) -> None:
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            try:
                signal.set_wakeup_fd(-1)
                for each in (ours, *self._held(), *(each.handed for each in self._waiting)):
                    each.close()
                self._wait(theirs)
            finally:
                os._exit(child.DEFECT)
        theirs.close()
        self._waiting.append(_Spare(ours, pid))

    def _wait(self, handed: socket.socket) -> NoReturn:
        """Be ready, and then the child that does what the caller asks for."""
        called = select.poll()
        called.register(handed, select.POLLIN)
        if not called.poll(UNHURRIED):
            self._itself.written.copy()
        _, files, _, _ = socket.recv_fds(handed, 1, 1)
        if not files:
            os._exit(child.DEFECT)
        child.take(socket.socket(fileno=files[0]), self._itself)
