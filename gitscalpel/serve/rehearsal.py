"""What a child does while it waits: calls that change nothing, so that its own finds everything at hand.

A child shares its memory with the server, and each page of it is copied when it is first written to;
Python writes to all that it uses. So half of what a call took was done once in each process, whatever
was asked for; a child that waits has the time for that.
"""

from __future__ import annotations

import os
import select
import shutil
import socket
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

from gitscalpel.errors import ScalpelError
from gitscalpel.forked import is_idle
from gitscalpel.git import refs
from gitscalpel.git.run import Git

_FILE = "a.py"
_TEXT = "def f():\n    return 1\n"
CALLS = (
    ("show", f"{_FILE}::f"),
    ("replace", f"{_FILE}::f", "--code", _TEXT.replace("1", "2"), "--dry-run"),
)
"""What most calls are like. They start no program, and remember nothing of whose environment it is."""


_UNHURRIED = 0.01
"""Seconds without a call, after which a child has time to rehearse; where many come at once, none has."""
_SELDOM = 1.0
"""Seconds from one look to the next, at most, at whether a processor is idle."""


def has_time(line: socket.socket) -> bool:
    """Wait until a processor is idle, and give True; or until there is a call at ``line``, and give False.

    A rehearsal takes as much computing as a call: where others wait for a processor, it would be in the way
    of the very calls that it is for.
    """
    wait = _UNHURRIED
    while not select.select([line], [], [], wait)[0]:
        if is_idle():
            return True
        wait = min(2 * wait, _SELDOM)
    return False


class Rehearsal:
    """A repository for calls of no consequence.

    Args:
        folder: where it is to lie; what is there is thrown away.
        path: the variable ``PATH`` of who has git.
    """

    def __init__(self, folder: Path, path: str) -> None:
        self._folder = folder
        who = {"NAME": "Rehearsal", "EMAIL": "rehearsal@localhost"}
        self._environment = {
            "PATH": path,
            "HOME": str(folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            **{f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()},
        }
        self._is_ready = False

    def prepare(self) -> None:
        """Make the repository; where that is impossible, nothing will be rehearsed."""
        shutil.rmtree(self._folder, ignore_errors=True)  # of a server that was killed
        with suppress(OSError, ScalpelError):
            self._folder.mkdir(mode=0o700)
            (self._folder / _FILE).write_text(_TEXT)
            git = Git(self._folder, self._environment)
            git("init", "--quiet", "--template=", "--initial-branch=main")
            git("add", _FILE)
            git("commit", "--quiet", "--message=begun")
            git("update-ref", refs.OPS, "HEAD")  # as if something had landed before
            self._is_ready = True

    def hold(self, main: Callable[[], None]) -> None:
        """Do the calls, in a process that is going to become somebody else.

        Args:
            main: runs the command line of a process, and ends with ``SystemExit``.
        """
        if not self._is_ready:
            return
        os.chdir(self._folder)
        os.environ.clear()
        os.environ.update(self._environment)
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
            for words in CALLS:
                sys.argv = [sys.argv[0], *words]
                with suppress(SystemExit):
                    main()

    def clear(self) -> None:
        """Throw the repository away."""
        shutil.rmtree(self._folder, ignore_errors=True)
