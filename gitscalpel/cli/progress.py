"""Progress line at a terminal for commands that take longer than a moment."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_MOMENT = 0.3
"""Seconds after which somebody wonders."""
_STEP = 0.5
_CLEAR = "\r\x1b[K"
_LONGEST = 60
_ITS_OWN = frozenset({"run", "serve", "mcp", "review", "demo", "snapshot", "agent", "hook"})
"""Verbs that hand the terminal to a program, or say themselves what they do."""


class Progress:
    """A line on standard error.

    Args:
        what: what is under way.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._began = time.monotonic()
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._is_shown = False

    def tell(self, words: str) -> None:
        """It is about this now."""
        self._what = words.partition("\n")[0][:_LONGEST]

    def clear(self) -> None:
        """Take the line away, for something that is said; it comes back with the next step."""
        with self._lock:
            if self._is_shown:
                sys.stderr.write(_CLEAR)
                sys.stderr.flush()
                self._is_shown = False

    def show(self) -> None:
        """Show it, step by step, until it is done."""
        waited = self._done.wait(_MOMENT)
        while not waited:
            with self._lock:
                seconds = int(time.monotonic() - self._began)
                sys.stderr.write(f"{_CLEAR}… {self._what}{f' ({seconds} s)' if seconds else ''}")
                sys.stderr.flush()
                self._is_shown = True
            waited = self._done.wait(_STEP)

    def end(self) -> None:
        """It is done."""
        self._done.set()
        self.clear()


UNDER_WAY: list[Progress] = []
"""What this process shows, at a terminal."""


@contextmanager
def showing(verb: str, *, as_json: bool) -> Iterator[None]:
    """Show that a verb is under way, where somebody looks on."""
    if as_json or verb in _ITS_OWN or sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    progress = Progress(f"git scalpel {verb}")
    UNDER_WAY.append(progress)
    threading.Thread(target=progress.show, daemon=True).start()
    try:
        yield
    finally:
        UNDER_WAY.remove(progress)
        progress.end()


def clear() -> None:
    """Take the line away, if there is one."""
    for progress in UNDER_WAY:
        progress.clear()


def tell(words: str) -> None:
    """What is under way now, in words that were just said."""
    for progress in UNDER_WAY:
        progress.tell(words)
