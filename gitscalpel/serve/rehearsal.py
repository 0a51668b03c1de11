"""Calls of no consequence, by which a server and its children get ready for those of others.

What Python learns of its own code while this runs (PEP 659), and what is looked up once, the server learns by
doing such calls itself. What a call writes to is found out by a child that does one from end to end.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import NoReturn

from gitscalpel.errors import ScalpelError
from gitscalpel.git import refs
from gitscalpel.git.run import Git
from gitscalpel.serve import child, client
from gitscalpel.serve.pages import Written

_FILE = "a.py"
_TEXT = "def f():\n    return 1\n"
_EDIT = ("replace", f"{_FILE}::f", "--code", _TEXT.replace("1", "2"))
CALLS = (("show", f"{_FILE}::f"), (*_EDIT, "--dry-run"))
"""What most calls are like. They start no program, and remember nothing of whose environment it is."""
_LONGEST = 10
"""Seconds after which a child that rehearses is ended: nobody waits for it any longer."""


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
        """Do the calls in this process, which is afterwards what it was.

        Args:
            main: runs the command line of a process, and ends with ``SystemExit``.
        """
        if self._is_ready:
            with suppress(OSError), _unchanged():  # whose folder nobody may read has not rehearsed
                os.chdir(self._folder)
                os.environ.clear()
                os.environ.update(self._environment)
                _do(main)

    def call(self, server: child.Server, written: Written) -> NoReturn:
        """Be a caller, and the child that does what he asks for, and note what a call writes to."""
        signal.alarm(_LONGEST)
        ours, theirs = socket.socketpair()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        os.chdir(self._folder)
        client.ask(ours, server.kind, [*_EDIT], self._environment)
        ours.send(b"!")

        def main() -> None:
            with suppress(SystemExit):
                server.main()
            _do(server.main)
            written.note()

        child.take(theirs, server._replace(main=main))

    def clear(self) -> None:
        """Throw the repository away."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _do(main: Callable[[], None]) -> None:
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        for words in CALLS:
            sys.argv = [sys.argv[0], *words]
            with suppress(SystemExit):
                main()


@contextmanager
def _unchanged() -> Iterator[None]:
    """What a call changes in its process is afterwards as before."""
    environment, words = dict(os.environ), sys.argv
    folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY)  # which may be there no longer, and has no name then
    heeded = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        os.fchdir(folder)
        os.close(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = words
        for number, handler in heeded.items():
            signal.signal(number, handler)
