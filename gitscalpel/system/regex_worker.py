"""Callers' regular expressions, run by ``re`` in a process whose CPU time is limited.

Python's ``re`` has no time limit, and no other thread runs during a match. Engines with a limit read some
patterns differently (for ``regex``, ``{i}`` allows errors), or support fewer.
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

# Maximum characters of a pattern: compiling has no time limit, and may take a millisecond for each.
MAX_PATTERN_LENGTH = 3_000
# Offsets of a match and each of its groups. (-1, -1) for a group that did not take part.
Spans = tuple[tuple[int, int], ...]


class CallerPattern(Generic[AnyStr]):
    """A caller's pattern for ``re``, with flags. Warnings of Python about it are suppressed.

    Raises:
        re.error: Python cannot compile it, or it is longer than :data:`MAX_PATTERN_LENGTH`.
    """

    def __init__(self, pattern: AnyStr, flags: int = 0) -> None:
        if len(pattern) > MAX_PATTERN_LENGTH:
            raise re.error(f"it has {len(pattern):,} characters, and {MAX_PATTERN_LENGTH:,} are the most")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                compiled = re.compile(pattern, flags)
            except (OverflowError, RecursionError, ValueError) as error:
                raise re.error(str(error)) from None
        self.names = dict(compiled.groupindex)
        self.groups = compiled.groups
        self._question: tuple[AnyStr, int] = (pattern, int(flags))

    def matches(self, text: AnyStr) -> list[Spans]:
        """Return all matches in a text, as ``finditer`` would.

        Raises:
            DoesNotFit: ``too_slow``.
            InputOutput: ``io_error``: the worker cannot start, or was killed.
        """
        spans: list[Spans] = answer_in_process(self._question, text)
        return spans

    def restart(self, text: AnyStr, matches: list[tuple[int, int]]) -> tuple[int, int] | None:
        """Return the number of the first match that contains another match, and its offset, or None.

        A match that starts again right after its start is ignored. All matches are checked in one question,
        since each question sends the text. Raises as :meth:`matches`.
        """
        position: tuple[int, int] | None = answer_in_process(self._question, text, matches)
        return position


MAX_CPU_SECONDS = 5.0  # CPU seconds for one text
_WORDS = ("-I", "-S", "-B", "-W", "ignore", str(Path(__file__).with_name("regex_worker_program.py")))
idle_processes: list[subprocess.Popen[bytes]] = []


def answer_in_process(
    pattern: tuple[str | bytes, int], text: str | bytes, matches: list[tuple[int, int]] | None = None
) -> Any:
    """Return the answer of ``regex_worker_program.py`` for a pattern with its flags.

    Raises:
        DoesNotFit: ``too_slow``.
        InputOutput: ``io_error``.
    """
    child = _take_worker()
    try:
        answer = _ask_worker(child, (*pattern, MAX_CPU_SECONDS, text, matches))
    except (EOFError, BrokenPipeError):
        raise _exit_error(child, pattern[0]) from None
    except BaseException:
        child.kill()
        _end_worker(child)
        raise
    if idle_processes:
        _end_worker(child)
    else:
        idle_processes.append(child)
    return answer


def _take_worker() -> subprocess.Popen[bytes]:
    try:
        return idle_processes.pop()
    except IndexError:
        return _start_worker()


def _start_worker() -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            [sys.executable, *_WORDS],
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,  # only its parent handles interrupts of the terminal
        )
    except OSError as error:
        raise InputOutput.on(
            sys.executable,
            f"the regular expression worker cannot start: {error.strerror}",
            "try again, or give the text without a pattern",
        ) from None


def _ask_worker(child: subprocess.Popen[bytes], question: tuple[Any, ...]) -> Any:
    assert child.stdin is not None and child.stdout is not None  # noqa: S101, PT018 - they are pipes
    marshal.dump(question, child.stdin)
    child.stdin.flush()
    return marshal.load(child.stdout)  # noqa: S302 - our own process


def _exit_error(child: subprocess.Popen[bytes], pattern: str | bytes) -> DoesNotFit | InputOutput:
    status = _end_worker(child)
    if status != -signal.SIGPROF:
        return InputOutput(
            "io_error",
            f"the regular expression worker ended with status {status}",
            "try again, or give the text without a pattern",
        )
    text = pattern if isinstance(pattern, str) else pattern.decode("utf-8", "surrogateescape")
    return DoesNotFit(
        "too_slow",
        f"the pattern {text!r} took more than {MAX_CPU_SECONDS:g} s of CPU time: "
        "it can match the same text in too many ways",
        "avoid nested repetition (write a+, not (a+)+), list the allowed characters instead of .* "
        r"([^\n,]*), or give the text without a pattern",
        pattern=text,
        seconds=MAX_CPU_SECONDS,
    )


def _end_worker(child: subprocess.Popen[bytes]) -> int:
    try:
        with child:
            pass
    except BrokenPipeError:
        child.wait()
    return child.returncode


def _end_all_workers() -> None:
    while idle_processes:
        _end_worker(idle_processes.pop())


atexit.register(_end_all_workers)
# A forked process has none: the pipes belong to its parent.
os.register_at_fork(after_in_child=idle_processes.clear)
