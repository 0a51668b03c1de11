"""A real server in a folder of its own, and real calls of the console script."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gitscalpel.server.client import UNSERVED
from tests import forking

_SCRIPT = Path(sys.executable).with_name("git-scalpel")
CLIENTS = {"compiled": [str(_SCRIPT)], "python": [sys.executable, "-m", "gitscalpel"]}
"""How the command line is called: they are to do the same."""
any_client = pytest.mark.parametrize("client", ["any"], indirect=True)
"""For what the server decides: all of them send it the same."""
_PATIENCE = 30.0
_NOT_OURS = ("SCALPEL_", "CI", "LD_")


class Ended(NamedTuple):
    """Exit status, standard output and standard error."""

    status: int
    out: bytes
    err: bytes


class Served:
    """A server, and callers with its environment.

    Attributes:
        client: the words that call the command line.
        env: of both.
        runtime: the folder in which it listens.
        closing: what is closed behind the test.
    """

    def __init__(self, runtime: Path, client: list[str], closing: ExitStack) -> None:
        self.runtime, self.client = runtime, client
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_NOT_OURS)}
        # Under a limit of file sizes an interpreter would write half of what it has compiled.
        self.env = {**kept, "XDG_RUNTIME_DIR": str(runtime), "PYTHONDONTWRITEBYTECODE": "1"}
        self.process: subprocess.Popen[bytes] | forking.Child | None = None
        self.closing = closing

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [*self.client, "serve", "--json", *words],
            cwd=self.runtime,  # an interpreter looks for modules where it stands
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._begun(process)
        return process

    def _begun(self, process: subprocess.Popen[bytes] | forking.Child) -> None:
        self.process = process
        until(lambda: bool(self.sockets()) or process.poll() is not None)
        assert process.poll() is None, process.communicate()

    def start_soon(self) -> None:
        """The same in a child of a process that has everything imported, where the client is compiled.

        Such a server is known by its name; others also by what their interpreter was told when it started.
        """
        if self.client != CLIENTS["compiled"]:
            self.start()
            return
        program = f"{_SCRIPT}{UNSERVED}"
        child = self.closing.enter_context(
            forking.talking(["serve", "--json"], self.runtime, self.env, program)
        )
        self._begun(child)

    def sockets(self) -> list[Path]:
        return [each for each in (self.runtime / "git-scalpel").glob("*") if each.is_socket()]

    def call(self, root: Path, *words: str, stdin: bytes = b"", **env: str) -> Ended:
        done = subprocess.run(
            [*self.client, *words],
            cwd=root,
            input=stdin,
            env={**self.env, **env},
            capture_output=True,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def started(self, root: Path, *words: str, **env: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*self.client, *words],
            cwd=root,
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def servers(self) -> set[int]:
        """Processes with this folder that were started to serve; their children are calls."""
        found = {}
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (place / "cmdline").read_bytes().split(b"\0")
                mine = b"XDG_RUNTIME_DIR=%s" % os.fsencode(self.runtime)
                if b"serve" in words and mine in (place / "environ").read_bytes().split(b"\0"):
                    found[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
        return {pid for pid, parent in found.items() if parent not in found}

    def calls(self) -> int:
        """End it; how many calls it has taken on."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        out, err = self.process.communicate(timeout=_PATIENCE)
        assert (self.process.returncode, err) == (0, b"")
        data: dict[str, Any] = json.loads(out)["data"]
        assert data["state"] == "ended"
        return int(data["calls"])

    def stop(self) -> None:
        words = [*self.client, "serve", "--stop"]
        subprocess.run(words, cwd=self.runtime, env=self.env, capture_output=True, check=True)
        if self.process is not None:
            self.process.kill()
            self.process.communicate()


@contextmanager
def served(client: str) -> Iterator[Served]:
    """Callers who share a folder to listen in; nobody serves them yet, and nobody does afterwards."""
    with ExitStack() as closing:
        folder = closing.enter_context(  # an address has 107 characters
            tempfile.TemporaryDirectory(prefix="serve.", dir="/tmp")
        )
        one = Served(Path(folder), CLIENTS[client], closing)
        try:
            yield one
        finally:
            one.stop()


def until(true: Callable[[], bool]) -> None:
    """Wait for it."""
    end = time.monotonic() + _PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def is_compiled() -> bool:
    """Whether this installation has a compiled client."""
    return _SCRIPT.read_bytes()[:4] == b"\x7fELF"
