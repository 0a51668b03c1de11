"""Run the command line in children of one process that has imported everything.

Most of what a call costs is its start. A child of the server has the caller's streams, arguments,
environment and directory, runs the ``main`` of the console script, and exits: nothing is shared
between calls. Tests of the start itself use a real process, see ``tests.command.started``.
"""

from __future__ import annotations

import array
import atexit
import gc
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, NamedTuple

from gitscalpel.syntax.syntax_errors import find_faults

_PROGRAM = "git-scalpel"
_LONGEST = 120.0
_REQUEST = 1 << 20
_STREAMS = 3


class Ended(NamedTuple):
    """Exit status, standard output and standard error of a call."""

    status: int
    out: bytes
    err: bytes


def call(words: Sequence[str], root: Path, stdin: bytes, env: Mapping[str, str]) -> Ended:
    """Run ``git-scalpel words…`` in ``root``, with nothing but ``env`` in its environment."""
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        given.write(stdin)
        given.seek(0)
        with _start(words, root, env, (given, out, err)) as child:
            status = child.wait(_LONGEST)
        assert status >= 0, f"{words} has been killed: {_read(err)!r}"
        return Ended(status, _read(out), _read(err))


class Child:
    """A running call with the interface of :class:`subprocess.Popen`."""

    stdin: IO[bytes] | None = None
    stdout: IO[bytes] | None = None
    stderr: IO[bytes] | None = None

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._said = line.makefile("rb", buffering=0)
        self.pid = int(self._said.readline())
        self._status: int | None = None

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        for each in (self._said, self._line, self.stdin, self.stdout, self.stderr):
            if each is not None:
                each.close()

    @property
    def returncode(self) -> int | None:
        """Return the exit status, or None before ``wait`` or ``poll``."""
        return self._status

    def poll(self) -> int | None:
        """Return the exit status, or None if the process is running."""
        return self.wait() if self._status is None and self._has_ended() else self._status

    def communicate(self, timeout: float = _LONGEST) -> tuple[bytes, bytes]:
        """Wait for the end, and return standard output and standard error."""
        assert self.stdout is not None
        assert self.stderr is not None
        self.wait(timeout)
        return self.stdout.read(), self.stderr.read()

    def wait(self, timeout: float = _LONGEST) -> int:
        """Return the exit status after the end, negative if a signal ended the process."""
        if self._status is None:
            self._line.settimeout(timeout)
            self._status = int(self._said.readline() or -signal.SIGKILL)
        return self._status

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL unless the process has ended."""
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal unless the process has ended."""
        if self._status is None and not self._has_ended():
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def _has_ended(self) -> bool:
        looking = select.poll()  # `select` itself supports no descriptor beyond 1023
        looking.register(self._line, select.POLLIN)
        return bool(looking.poll(0))


@contextmanager
def talking(
    words: Sequence[str], root: Path, env: Mapping[str, str], program: str = _PROGRAM
) -> Iterator[Child]:
    """Start a call with pipes as its streams, as a program of this name; the caller ends the child."""
    pairs = [os.pipe() for _ in range(_STREAMS)]
    theirs = [pairs[0][0], *(end for _, end in pairs[1:])]
    try:
        child = _start(words, root, env, theirs, program)
    finally:
        for descriptor in theirs:
            os.close(descriptor)
    with child:
        child.stdin = os.fdopen(pairs[0][1], "wb")
        child.stdout, child.stderr = (os.fdopen(ours, "rb") for ours, _ in pairs[1:])
        try:
            yield child
        finally:
            child.kill()


def _start(
    words: Sequence[str],
    root: Path,
    env: Mapping[str, str],
    streams: Sequence[IO[bytes] | int],
    program: str = _PROGRAM,
) -> Child:
    request = json.dumps([[program, *words], os.fspath(root), dict(env)]).encode()
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    line.settimeout(_LONGEST)
    line.connect(_start_server())
    numbers = array.array("i", [each if isinstance(each, int) else each.fileno() for each in streams])
    line.sendmsg([b"%08d" % len(request)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers)])
    line.sendall(request)
    return Child(line)


def _read(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


@cache
def _start_server() -> str:
    """Return the address of the server, which ends with this process."""
    place = tempfile.mkdtemp(prefix="forking.")
    address = f"{place}/socket"
    words = [sys.executable, "-m", "tests.forking", address]
    server = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parent.parent
    )
    atexit.register(_end, server, address)
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    return address


def _end(server: subprocess.Popen[bytes], address: str) -> None:
    assert server.stdin is not None
    server.stdin.close()
    server.wait()
    Path(address).unlink()
    Path(address).parent.rmdir()


def _serve(address: str) -> None:
    import_all()
    _try_sandbox(Path(address).parent)
    gc.collect()
    gc.freeze()  # otherwise every child would copy pages that the collector touches
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(address)
        listening.listen(128)
        os.write(1, b"ready\n")
        while True:
            ready, _, _ = select.select([listening, sys.stdin], [], [])
            if sys.stdin in ready:
                return  # the tests have ended
            line, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                _child(line)
            line.close()


def import_all() -> None:
    """Import every module in this process, for its children."""
    import gitscalpel

    for module in pkgutil.walk_packages(gitscalpel.__path__, "gitscalpel."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    _fill_caches()


def _fill_caches() -> None:
    """Fill caches that are equal for each call, which saves 5 to 20 ms in each."""
    import lark  # noqa: F401
    import pathspec  # noqa: F401

    from gitscalpel.cli.command_line import build_parser
    from gitscalpel.commands.table import COMMANDS
    from gitscalpel.edit.source import Source
    from gitscalpel.syntax.occurrences import Mentions
    from gitscalpel.system import serialization

    code = Source.read("a.py", b"x = 1\n")  # in the language of most tests
    assert code.outline is not None
    assert not any(find_faults(syntax) for syntax in code.readings)
    assert code.syntax is not None
    assert Mentions(code.syntax).find("x")
    for verb in COMMANDS.values():
        build_parser(verb).format_usage()
    build_parser(COMMANDS["status"]).parse_words(["--agent", "somebody"])
    serialization.resolve_all_types()


def _try_sandbox(folder: Path) -> None:
    """Detect sandbox support once, by the bubblewrap that is first on PATH."""
    from gitscalpel.gates import sandbox

    sandbox.detect_support_in(folder)
    tempfile.tempdir = None  # each child determines its temporary directory by its own environment


def _child(line: socket.socket) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    head, ancillary, _, _ = line.recvmsg(8, socket.CMSG_SPACE(_STREAMS * 4))
    streams = array.array("i", ancillary[0][2])
    request = b""
    while len(request) < int(head):
        request += line.recv(_REQUEST)
    sys.argv, root, env = json.loads(request)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(root)
    os.environ.clear()
    os.environ.update(env)
    line.send(b"%d\n" % os.getpid())
    line.send(b"%d\n" % ended())
    os._exit(0)


def ended() -> int:
    """Run the command line in this process, and return its exit status."""
    from gitscalpel.cli import main

    try:
        main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


if __name__ == "__main__":
    _serve(*sys.argv[1:])
