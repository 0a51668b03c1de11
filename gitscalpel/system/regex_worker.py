"""Callers' regular expressions, run in a process with a time limit.

Python's ``re`` takes no bound, and no other thread runs while it looks. An engine that takes one reads some
patterns otherwise (for ``regex``, ``{i}`` forgives differences), or knows less. So it is ``re``, and what is
bounded is a process: by the time for which it computes, so that on a busy machine no more is refused.
An idle process waits for the next question.
"""

from __future__ import annotations

import atexit
import marshal
import os
import re
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, AnyStr, Generic

from gitscalpel.errors import DoesNotFit, InputOutput

MOST = 3_000
"""Characters of a pattern: to compile it is not bounded, and may take a thousandth of a second for each."""
Spans = tuple[tuple[int, int], ...]
"""Where a match stands, and each of its groups, by offset; of one that took no part (-1, -1)."""


class Sent(Generic[AnyStr]):
    """A pattern that a caller has sent; no warning of Python's about it is shown.

    Args:
        pattern: as ``re`` reads it.
        flags: of ``re``.

    Raises:
        re.error: it is none that Python can compile, or longer than :data:`MOST`.
    """

    def __init__(self, pattern: AnyStr, flags: int = 0) -> None:
        if len(pattern) > MOST:
            raise re.error(f"it has {len(pattern):,} characters, and {MOST:,} are the most")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                compiled = re.compile(pattern, flags)
            except (OverflowError, RecursionError, ValueError) as error:
                raise re.error(str(error)) from None
        self.names = dict(compiled.groupindex)
        self.groups = compiled.groups
        self._asked: tuple[AnyStr, int] = (pattern, int(flags))

    def matches(self, text: AnyStr) -> list[Spans]:
        """What ``finditer`` finds in a text.

        Raises:
            DoesNotFit: ``too_slow``.
            InputOutput: ``io_error``: the process that looks for it cannot start, or was ended.
        """
        found: list[Spans] = answer_in_process(self._asked, text)
        return found

    def restart(self, text: AnyStr, matches: list[tuple[int, int]]) -> tuple[int, int] | None:
        """The number of the first of a text's matches inside of which it matches again, and where; or None.

        The places right behind a match's start at which it matches as well do not count: they are the same
        beginning, interrupted. All are asked about at once, as the text goes along with each question.

        Raises:
            DoesNotFit, InputOutput: as for :meth:`matches`.
        """
        found: tuple[int, int] | None = answer_in_process(self._asked, text, matches)
        return found


LONGEST = 5.0
"""Seconds for which a process may compute for one text."""
_WORDS = ("-I", "-S", "-B", "-W", "ignore", str(Path(__file__).with_name("regex_worker_program.py")))
idle_processes: list[subprocess.Popen[bytes]] = []


def answer_in_process(
    pattern: tuple[str | bytes, int], text: str | bytes, matches: list[tuple[int, int]] | None = None
) -> Any:
    """What ``regex_worker_program.py`` answers to a pattern with its flags.

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
    if idle_processes:
        _end(child)
    else:
        idle_processes.append(child)
    return found


def _taken() -> subprocess.Popen[bytes]:
    try:
        return idle_processes.pop()
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
    while idle_processes:
        _end(idle_processes.pop())


atexit.register(_end_all)
# A process that was forked has none: their pipes are its parent's.
os.register_at_fork(after_in_child=idle_processes.clear)
