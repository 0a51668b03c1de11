"""The real command line: ``git scalpel`` as a user's shell would start it, and what came back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

from tests import forking

SEARCH = str(Path(sys.executable).parent)
"""The folder with the console script of this very interpreter."""


class Answer(NamedTuple):
    """Exit status, standard output and standard error of one command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        parsed = json.loads(self.out)
        assert isinstance(parsed, dict)
        assert parsed["schema"] == "scalpel/1"
        return parsed

    @property
    def data(self) -> Any:
        """The data of a success."""
        envelope = self.json
        assert envelope["ok"] is True, envelope
        assert self.status == 0
        return envelope["data"]

    @property
    def error(self) -> dict[str, Any]:
        """The error of a failure; it says what is wrong and what to do, and the status is not 0."""
        envelope = self.json
        assert envelope["ok"] is False, envelope
        error = envelope["error"]
        assert self.status != 0
        assert error["message"]
        assert error["hint"]
        assert isinstance(error, dict)
        return error


def blob(root: Path, revision: str) -> bytes | None:
    """The bytes of a blob such as ``HEAD:a.py``, to the last one; None where there is none."""
    done = subprocess.run(["git", "cat-file", "blob", revision], cwd=root, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def scalpel(
    root: Path, *arguments: str, stdin: str | bytes = b"", env: dict[str, str] | None = None
) -> Answer:
    """What ``git scalpel`` answers in ``root``; see :mod:`tests.forking`."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    done = forking.call(arguments, root, given, {**_environment(), **(env or {})})
    return Answer(done.status, done.out.decode(), done.err.decode())


def talking(root: Path, *arguments: str) -> AbstractContextManager[forking.Child]:
    """The same for a command that stays: a child with pipes, which is killed behind it."""
    return forking.talking(arguments, root, _environment())


def started(
    root: Path, *arguments: str, stdin: str | bytes = b"", env: dict[str, str] | None = None
) -> Answer:
    """The same in a process of its own, started by git."""
    done = subprocess.run(
        ["git", "scalpel", *arguments],
        cwd=root,
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        check=False,
        timeout=120,
        env={**_environment(), **(env or {})},
    )
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


def _environment() -> dict[str, str]:
    return {**os.environ, "PATH": SEARCH + os.pathsep + os.environ["PATH"]}
