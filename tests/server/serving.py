"""A real server in its own directory, and real calls of the command line."""

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
"""Command lines of the clients, which must behave the same."""
any_client = pytest.mark.parametrize("client", ["any"], indirect=True)
"""For decisions of the server, because all clients send the same request."""
_PATIENCE = 30.0
_REMOVED_PREFIXES = ("SCALPEL_", "CI", "LD_")


class CallResult(NamedTuple):
    """Exit status, standard output and standard error of a call."""

    status: int
    out: bytes
    err: bytes


class ServerHarness:
    """A server and callers with its environment.

    Attributes:
        client: the words that call the command line.
        env: the environment of server and callers.
        runtime: the directory of the server's socket.
        closing: contexts that are closed after the test.
    """

    def __init__(self, runtime: Path, client: list[str], closing: ExitStack) -> None:
        self.runtime, self.client = runtime, client
        environ = {
            name: value for name, value in os.environ.items() if not name.startswith(_REMOVED_PREFIXES)
        }
        # Under a limit of file sizes, an interpreter would write truncated bytecode.
        self.env = {**environ, "XDG_RUNTIME_DIR": str(runtime), "PYTHONDONTWRITEBYTECODE": "1"}
        self.process: subprocess.Popen[bytes] | forking.Child | None = None
        self.closing = closing

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [*self.client, "serve", "--json", *words],
            cwd=self.runtime,  # an interpreter imports from its working directory
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._wait_for_socket(process)
        return process

    def _wait_for_socket(self, process: subprocess.Popen[bytes] | forking.Child) -> None:
        self.process = process
        wait_until(lambda: bool(self.sockets()) or process.poll() is not None)
        assert process.poll() is None, process.communicate()

    def start_forked(self) -> None:
        """Start the server in a child of a process that has everything imported, if the client is compiled.

        Such a server is recognized by its name. Others are started with their own interpreter.
        """
        if self.client != CLIENTS["compiled"]:
            self.start()
            return
        program = f"{_SCRIPT}{UNSERVED}"
        child = self.closing.enter_context(
            forking.talking(["serve", "--json"], self.runtime, self.env, program)
        )
        self._wait_for_socket(child)

    def sockets(self) -> list[Path]:
        return [path for path in (self.runtime / "git-scalpel").glob("*") if path.is_socket()]

    def call(self, root: Path, *words: str, stdin: bytes = b"", **env: str) -> CallResult:
        completed = subprocess.run(
            [*self.client, *words],
            cwd=root,
            input=stdin,
            env={**self.env, **env},
            capture_output=True,
            check=False,
        )
        return CallResult(completed.returncode, completed.stdout, completed.stderr)

    def start_call(self, root: Path, *words: str, **env: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*self.client, *words],
            cwd=root,
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def server_pids(self) -> set[int]:
        """Return the ids of server processes in this directory, without their children, which are calls."""
        parents = {}
        for process_dir in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (process_dir / "cmdline").read_bytes().split(b"\0")
                variable = b"XDG_RUNTIME_DIR=%s" % os.fsencode(self.runtime)
                if b"serve" in words and variable in (process_dir / "environ").read_bytes().split(b"\0"):
                    parents[int(process_dir.name)] = int(
                        (process_dir / "stat").read_text().rpartition(")")[2].split()[1]
                    )
        return {pid for pid, parent in parents.items() if parent not in parents}

    def stop_and_count_calls(self) -> int:
        """Stop the server, and return how many calls it has served."""
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
def run_harness(client: str) -> Iterator[ServerHarness]:
    """Yield callers that share a runtime directory, and stop any server afterwards."""
    with ExitStack() as closing:
        folder = closing.enter_context(  # a socket path has at most 107 characters
            tempfile.TemporaryDirectory(prefix="serve.", dir="/tmp")
        )
        harness = ServerHarness(Path(folder), CLIENTS[client], closing)
        try:
            yield harness
        finally:
            harness.stop()


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until the condition is true."""
    end = time.monotonic() + _PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def is_compiled() -> bool:
    """Return True if this installation has a compiled client."""
    return _SCRIPT.read_bytes()[:4] == b"\x7fELF"
