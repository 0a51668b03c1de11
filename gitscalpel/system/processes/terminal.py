"""Programs of the user: on the caller's terminal, in a pager, or run briefly for their output."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from gitscalpel.system.processes.child import GRACE, SHELL, started

_NO_PROGRAM = 127
"""The shell's status where there is none of that name."""


def passed_through(words: Sequence[str], folder: Path, env: Mapping[str, str], *, aloud: bool) -> int:
    """Run a program as a shell would, with the caller's terminal and streams; its exit status, as a shell's.

    What it leaves in the background goes on.

    Args:
        words: the program and its arguments.
        folder: where it runs.
        env: its variables.
        aloud: it prints where the caller prints; else to standard error.

    Raises:
        BadCall: ``invalid_args``: there is no such program.
    """
    child = started(list(words), cwd=folder, env=dict(env), stdout=None if aloud else 2)
    try:
        status = child.wait()
    except KeyboardInterrupt:  # at a terminal it has been told as well
        with suppress(subprocess.TimeoutExpired):
            child.wait(GRACE)
        child.terminate()
        status = child.wait()
    return status if status >= 0 else 128 - status


def paged(pager: str, text: bytes, env: Mapping[str, str]) -> bool:
    """Show a text in a pager at the terminal, until the user leaves it; whether there is such a program.

    Args:
        pager: a command line for the shell.
        text: what it shows.
        env: the variables of whoever looks at it.
    """
    env = {"LESS": "FRX", "LV": "-c", **env}  # as git sets them
    with subprocess.Popen([SHELL, "-c", pager], stdin=subprocess.PIPE, env=env) as child:
        assert child.stdin is not None  # noqa: S101 - it is a pipe
        with suppress(BrokenPipeError, KeyboardInterrupt):
            child.stdin.write(text)
        with suppress(BrokenPipeError):
            child.stdin.close()
        while child.returncode is None:
            with suppress(KeyboardInterrupt):  # is the pager's, which stays
                child.wait()
    return child.returncode != _NO_PROGRAM


def asked(words: Sequence[str], folder: Path, env: Mapping[str, str]) -> tuple[int, str]:
    """Run one of the user's own programs, which reads nothing; its exit status, and what it printed."""
    nothing, pipe = subprocess.DEVNULL, subprocess.PIPE
    with started(
        list(words), cwd=folder, env=dict(env), stdin=nothing, stdout=pipe, stderr=subprocess.STDOUT
    ) as child:
        printed, _ = child.communicate()
    return child.returncode, printed.decode("utf-8", "replace")
