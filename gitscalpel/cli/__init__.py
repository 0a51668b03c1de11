"""The command line: what people type becomes a request of a verb, and its reply text or JSON."""

from __future__ import annotations

import signal
import sys
import time
from types import FrameType

from gitscalpel.cli import boundary

_AS_ONE = 1.0
"""Seconds in which signals are one: git passes on to us what the terminal has told us as well."""


class _Interrupts:
    """Interrupts the program, and not its clearing up a moment later."""

    def __init__(self) -> None:
        self._last = 0.0

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        if time.monotonic() - self._last > _AS_ONE:
            self._last = time.monotonic()
            raise KeyboardInterrupt


def main() -> None:
    """The console script: who is told to end, as by ``timeout``, is interrupted, and clears up first."""
    interrupts = _Interrupts()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):  # ``nohup`` ignores it
            signal.signal(number, interrupts)
    sys.exit(boundary.run(sys.argv[1:]))
