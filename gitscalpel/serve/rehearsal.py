"""Calls of no consequence, by which a server gets ready for those of others.

What Python learns of its own code while this runs (PEP 659), and what is looked up once, all of its children
begin with.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path

from gitscalpel.errors import ScalpelError
from gitscalpel.git.run import Git

_FILE = "a.py"
_TEXT = "def f():\n    return 1\n"
CALLS = (
    ("show", f"{_FILE}::f"),
    ("replace", f"{_FILE}::f", "--code", _TEXT.replace("1", "2"), "--dry-run"),
)
"""What most calls are like. They start no program, and remember nothing of whose environment it is."""


def rehearse(folder: Path, path: str, main: Callable[[], None]) -> None:
    """Do the calls in this process, which is afterwards what it was.

    Args:
        folder: where a repository is made for them; what is there is thrown away.
        path: the variable ``PATH`` of who has git.
        main: runs the command line of a process, and ends with ``SystemExit``.
    """
    who = {"NAME": "Rehearsal", "EMAIL": "rehearsal@localhost"}
    environment = {
        "PATH": path,
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()},
    }
    shutil.rmtree(folder, ignore_errors=True)  # of a server that was killed
    try:
        # Where no repository can be made, or whose folder nobody may read, nothing is rehearsed.
        with suppress(OSError, ScalpelError), _unchanged():
            _prepare(folder, environment)
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            _do(main)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _prepare(folder: Path, environment: dict[str, str]) -> None:
    folder.mkdir(mode=0o700)
    (folder / _FILE).write_text(_TEXT)
    git = Git(folder, environment)
    git("init", "--quiet", "--template=", "--initial-branch=main")
    git("add", _FILE)
    git("commit", "--quiet", "--message=begun")


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
