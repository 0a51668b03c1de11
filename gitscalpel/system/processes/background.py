"""Programs that run next to this process: one with a conversation, and one that outlives it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import msgspec

from gitscalpel.system.processes.child import interrupts_later, started


class Conversation(msgspec.Struct, frozen=True):
    """A program that is spoken to.

    Attributes:
        pid: of its process, which leads a group of its own.
        to: what it reads.
        said: what it prints.
        wait: its exit status, once it has ended; takes seconds, after which it is given up.
    """

    pid: int
    to: IO[bytes]
    said: IO[bytes]
    wait: Callable[[float], int]


@contextmanager
def conversing(words: Sequence[str], folder: Path, env: Mapping[str, str]) -> Iterator[Conversation]:
    """A program that is spoken to through its standard streams; it ends with the block, and all it started.

    The streams are the caller's, and stay open: something in the background may hold their other ends.

    Args:
        words: the program and its arguments.
        folder: where it runs.
        env: its variables.

    Raises:
        BadCall: ``invalid_args``: there is no such program.
    """
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    with interrupts_later() as interrupted:
        child = started(
            list(words),
            cwd=folder,
            env=dict(env),
            stdin=pipe,
            stdout=pipe,
            stderr=nothing,  # a pipe that nobody reads would stop it
            start_new_session=True,
        )
    try:
        for number in interrupted:
            signal.raise_signal(number)
        assert child.stdin is not None and child.stdout is not None  # noqa: S101, PT018 - they are pipes
        yield Conversation(child.pid, child.stdin, child.stdout, child.wait)
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def detached(words: Sequence[str]) -> None:
    """Start a program that stays when this process has ended, in no folder and with no terminal."""
    nothing = subprocess.DEVNULL
    subprocess.Popen(words, stdin=nothing, stdout=nothing, stderr=nothing, cwd="/", start_new_session=True)
