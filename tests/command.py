"""Run the command line ``git scalpel`` as a user's shell does, and return its output."""

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
"""Directory with the console script of the running interpreter."""


class Answer(NamedTuple):
    """Exit status, standard output and standard error of one command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Return the JSON object on standard output."""
        parsed = json.loads(self.out)
        assert isinstance(parsed, dict)
        assert parsed["schema"] == "scalpel/1"
        return parsed

    @property
    def data(self) -> Any:
        """Return the data of a successful command."""
        envelope = self.json
        assert envelope["ok"] is True, envelope
        assert self.status == 0
        return envelope["data"]

    @property
    def error(self) -> dict[str, Any]:
        """Return the error of a failed command, which must have a message and a hint."""
        envelope = self.json
        assert envelope["ok"] is False, envelope
        error = envelope["error"]
        assert self.status != 0
        assert error["message"]
        assert error["hint"]
        assert isinstance(error, dict)
        return error


def blob(root: Path, revision: str) -> bytes | None:
    """Return the content of a blob such as ``HEAD:a.py``, or None if the blob does not exist."""
    done = subprocess.run(["git", "cat-file", "blob", revision], cwd=root, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def scalpel(
    root: Path, *arguments: str, stdin: str | bytes = b"", env: dict[str, str] | None = None
) -> Answer:
    """Return the answer of ``git scalpel`` in ``root``; see :mod:`tests.forking`."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    done = forking.call(arguments, root, given, {**_environment(), **(env or {})})
    return Answer(done.status, done.out.decode(), done.err.decode())


def talking(root: Path, *arguments: str) -> AbstractContextManager[forking.Child]:
    """Start a long-running command as a child with pipes, and kill it at the end."""
    return forking.talking(arguments, root, _environment())


def started(
    root: Path, *arguments: str, stdin: str | bytes = b"", env: dict[str, str] | None = None
) -> Answer:
    """Return the answer of ``git scalpel`` in a process of its own, started by git."""
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
