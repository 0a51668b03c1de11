"""Runs programs that are not git: the one place that does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from gitscalpel.errors import BadCall
from gitscalpel.git.run import outer_environment
from gitscalpel.lock import Lock


def run(words: Sequence[str], folder: Path, env: Mapping[str, str], lock: Lock) -> int:
    """Run a program to its end, and give its exit status; what it left in the background is ended.

    What it prints goes to standard error, so that standard output is for the answer. It reads
    the terminal, if there is one.

    Args:
        words: the program and its arguments.
        folder: where it runs.
        env: variables on top of the caller's, without those that would point git elsewhere.
        lock: what it holds, so that nobody else takes it if its parent is killed.

    Raises:
        BadCall: ``invalid_args``: there is no such program.
    """
    at_terminal = sys.stdin is not None and sys.stdin.isatty()
    try:
        child = subprocess.Popen(
            list(words),
            cwd=folder,
            env={**outer_environment(), **env},
            stdin=None if at_terminal else subprocess.DEVNULL,
            stdout=2,  # a program's sys.stderr need not be a file
            pass_fds=(lock.fd,),
            start_new_session=True,  # so that all it starts can be ended with it
        )
    except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
        raise BadCall(
            "invalid_args", f"{words[0]} cannot be run: {error.strerror}", "check its name"
        ) from None
    try:
        return child.wait()
    finally:
        # Whatever it left in the background would go on writing where somebody else works next.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
