"""Starts a program, and loses no signal over it."""

from __future__ import annotations

import errno
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gitscalpel.errors import BadCall

SHELL = "/bin/sh"
GRACE = 2.0
"""Seconds for a program that took too long to tidy up."""
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def started(words: list[str], **how: Any) -> subprocess.Popen[bytes]:
    """A program that runs, with what ``Popen`` takes. Raises ``BadCall``: ``invalid_args``: there is none."""
    try:
        return subprocess.Popen(words, **how)
    except OSError as error:
        if error.errno == errno.ENOEXEC and words[0] != SHELL:
            return started([SHELL, *words], **how)  # a script without its first line, as execvp does it
        raise BadCall(
            "invalid_args", f"{words[0]} cannot be run: {error.strerror}", "check its name"
        ) from None


@contextmanager
def interrupts_later() -> Iterator[list[int]]:
    """Note signals instead of handling them: one within ``Popen`` would leave a child that nobody knows."""
    noted: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield noted
        return
    handlers = {number: signal.getsignal(number) for number in _ENDING}
    handled = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in handled:
        signal.signal(number, lambda number, _: noted.append(number))
    try:
        yield noted
    finally:
        for number, handler in handled.items():
            signal.signal(number, handler)
