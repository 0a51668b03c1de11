"""Until when a program is waited for."""

from __future__ import annotations

import math
import subprocess
import threading
import time
from typing import Protocol

import msgspec

_LOOK = 0.2
"""Seconds from one look at whether it is to be stopped to the next."""


class Stop(Protocol):
    """What says that a program is to be ended: a ``threading.Event``, say."""

    def is_set(self) -> bool:
        """Whether it is to be ended now."""


class Patience(msgspec.Struct, frozen=True):
    """For how long a program is waited for."""

    timeout: float | None = None
    stop: Stop | None = None

    def wait(self, child: subprocess.Popen[bytes]) -> int:
        """Its exit status. Raises ``TimeoutError`` or ``InterruptedError``."""
        if self.timeout is None and self.stop is None:
            return child.wait()
        end = time.monotonic() + (math.inf if self.timeout is None else self.timeout)
        # A thread is told at once; with a time-out `Popen.wait` looks twenty times a second.
        waiting = threading.Thread(target=child.wait, daemon=True)
        waiting.start()
        while not (self.stop and self.stop.is_set()):
            waiting.join(max(0, min(end - time.monotonic(), _LOOK)))
            if not waiting.is_alive():
                return child.wait()
            if time.monotonic() >= end:
                raise TimeoutError(f"it took longer than {self.timeout} s")
        raise InterruptedError
