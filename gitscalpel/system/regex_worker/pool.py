"""Pool of the processes that search patterns: an idle one waits for the next question."""

from __future__ import annotations

import atexit
import marshal
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from gitscalpel.errors import DoesNotFit, InputOutput

LONGEST = 5.0
"""Seconds for which a process may compute for one text."""
_WORDS = ("-I", "-S", "-B", "-W", "ignore", str(Path(__file__).with_name("worker.py")))
_idle: list[subprocess.Popen[bytes]] = []


def answer(
    pattern: tuple[str | bytes, int], text: str | bytes, matches: list[tuple[int, int]] | None = None
) -> Any:
    """What ``worker.py`` answers to a pattern with its flags.

    Raises:
        DoesNotFit: ``too_slow``.
        InputOutput: ``io_error``.
    """
    child = _taken()
    try:
        found = _asked(child, (*pattern, LONGEST, text, matches))
    except (EOFError, BrokenPipeError):
        raise _ended(child, pattern[0]) from None
    except BaseException:
        child.kill()
        _end(child)
        raise
    if _idle:
        _end(child)
    else:
        _idle.append(child)
    return found


def _taken() -> subprocess.Popen[bytes]:
    try:
        return _idle.pop()
    except IndexError:
        return _started()


def _started() -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            [sys.executable, *_WORDS],
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,  # an interrupt at the terminal is its parent's
        )
    except OSError as error:
        raise InputOutput.on(
            sys.executable,
            f"the process that looks for patterns cannot be started: {error.strerror}",
            "try again, or name the text without a pattern",
        ) from None


def _asked(child: subprocess.Popen[bytes], question: tuple[Any, ...]) -> Any:
    assert child.stdin is not None and child.stdout is not None  # noqa: S101, PT018 - they are pipes
    marshal.dump(question, child.stdin)
    child.stdin.flush()
    return marshal.load(child.stdout)  # noqa: S302 - a process of ours


def _ended(child: subprocess.Popen[bytes], pattern: str | bytes) -> DoesNotFit | InputOutput:
    status = _end(child)
    if status != -signal.SIGPROF:
        return InputOutput(
            "io_error",
            f"the process that looks for patterns ended with status {status}",
            "try again, or name the text without a pattern",
        )
    said = pattern if isinstance(pattern, str) else pattern.decode("utf-8", "surrogateescape")
    return DoesNotFit(
        "too_slow",
        f"the pattern {said!r} has come to no end in {LONGEST:g} s of computing: it can match one text in "
        "too many ways",
        "do not repeat what repeats itself (a+ instead of (a+)+), say which characters are meant instead of "
        r".* ([^\n,]*), or name the text without a pattern",
        pattern=said,
        seconds=LONGEST,
    )


def _end(child: subprocess.Popen[bytes]) -> int:
    """Let it go, as it does when nobody asks any more; its status."""
    try:
        with child:
            pass
    except BrokenPipeError:
        child.wait()
    return child.returncode


def _end_all() -> None:
    while _idle:
        _end(_idle.pop())


atexit.register(_end_all)
# A process that was forked has none: their pipes are its parent's.
os.register_at_fork(after_in_child=_idle.clear)
