"""Start programs other than git. Nothing else does.

A program runs to its end, with a time limit, and what it left in the background ends with it; or next to
this process: one with a conversation, and one that outlives it; or on the caller's terminal. A program is
started without losing a signal: one that arrives during ``Popen`` would otherwise leave an unknown child.
"""

from __future__ import annotations

import errno
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Protocol

import msgspec

from gitscalpel.errors import BadCall
from gitscalpel.system.repo_lock import Lock

SHELL = "/bin/sh"
GRACE = 2.0
"""Seconds for a program that took too long to tidy up."""
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def started(words: list[str], **how: Any) -> subprocess.Popen[bytes]:
    """A program that runs, with what ``Popen`` takes. Raises ``BadCall``: ``invalid_args``: there is none."""
    try:
        return subprocess.Popen(words, **how)
    except OSError as error:
        if error.errno == errno.ENOEXEC and words[0] != SHELL:
            return started([SHELL, *words], **how)  # a script without its first line, as execvp does it
        raise BadCall(
            "invalid_args", f"{words[0]} cannot be run: {error.strerror}", "check its name"
        ) from None


@contextmanager
def interrupts_later() -> Iterator[list[int]]:
    """Note signals instead of handling them: one within ``Popen`` would leave a child that nobody knows."""
    noted: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield noted
        return
    handlers = {number: signal.getsignal(number) for number in _ENDING}
    handled = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in handled:
        signal.signal(number, lambda number, _: noted.append(number))
    try:
        yield noted
    finally:
        for number, handler in handled.items():
            signal.signal(number, handler)


_LOOK = 0.2
"""Seconds from one look at whether it is to be stopped to the next."""


class Stop(Protocol):
    """What says that a program is to be ended: a ``threading.Event``, say."""

    def is_set(self) -> bool:
        """Whether it is to be ended now."""


class Patience(msgspec.Struct, frozen=True):
    """For how long a program is waited for."""

    timeout: float | None = None
    stop: Stop | None = None

    def wait(self, child: subprocess.Popen[bytes]) -> int:
        """Its exit status. Raises ``TimeoutError`` or ``InterruptedError``."""
        if self.timeout is None and self.stop is None:
            return child.wait()
        end = time.monotonic() + (math.inf if self.timeout is None else self.timeout)
        # A thread is told at once; with a time-out `Popen.wait` looks twenty times a second.
        waiting = threading.Thread(target=child.wait, daemon=True)
        waiting.start()
        while not (self.stop and self.stop.is_set()):
            waiting.join(max(0, min(end - time.monotonic(), _LOOK)))
            if not waiting.is_alive():
                return child.wait()
            if time.monotonic() >= end:
                raise TimeoutError(f"it took longer than {self.timeout} s")
        raise InterruptedError


LONGEST = 16 << 20
"""Bytes of an answer."""


class Enclosure(Protocol):
    """A sandbox for one program."""

    @property
    def env(self) -> Mapping[str, str]:
        """All variables that it finds."""

    @property
    def fds(self) -> tuple[int, ...]:
        """Descriptors that its start needs, once :meth:`words` has been asked."""

    def words(self, program: Sequence[str]) -> list[str]:
        """The command line that starts it there."""

    def ended(self) -> None:
        """Wait until nothing lives there; that has been told to end."""


def run(words: Sequence[str], folder: Path, env: Mapping[str, str], lock: Lock) -> int:
    """Run a program to its end, and give its exit status; what it left in the background is ended.

    What it prints goes to standard error, so that standard output is for the answer. It reads
    the terminal, if there is one.

    Args:
        words: the program and its arguments.
        folder: where it runs.
        env: its variables, without any that would point git elsewhere.
        lock: what it holds, so that nobody else takes it if its parent is killed.

    Raises:
        BadCall: ``invalid_args``: there is no such program.
    """
    at_terminal = sys.stdin is not None and sys.stdin.isatty()
    how = {"env": dict(env), "pass_fds": (lock.fd,)}
    return _run(words, folder, how, stdin=None if at_terminal else subprocess.DEVNULL)


def captured(
    words: Sequence[str],
    folder: Path,
    env: Mapping[str, str],
    lock: Lock,
    enclosure: Enclosure | None = None,
    *,
    stop: Stop | None = None,
) -> tuple[int, str]:
    """The same for a program that reads nothing; its exit status, and what it printed.

    Raises:
        InterruptedError: ``stop`` has said that it is to end.
    """
    import tempfile

    # A file, since a pipe would stay open for as long as anything in the background lives.
    with tempfile.TemporaryFile() as printed:
        status = into(printed, words, folder, env, lock, enclosure=enclosure, stop=stop)
        printed.seek(0)
        return status, printed.read().decode("utf-8", "replace")


def answering(
    words: Sequence[str], folder: Path, env: Mapping[str, str], lock: Lock, given: bytes, **how: Any
) -> tuple[int, bytes, bytes]:
    """Run a program that is told something and answers; what it left in the background is ended.

    Args:
        words: the program and its arguments.
        folder: where it runs.
        env: its variables.
        lock: what it holds.
        given: what it reads at its standard input, to the end.
        how: ``timeout``, ``stop`` and ``enclosure``, as for :func:`into`.

    Returns:
        its exit status, what it printed (no more than :data:`LONGEST` bytes and one), and what it said at
        standard error.

    Raises:
        TimeoutError, InterruptedError, BadCall: see :func:`into`.
    """
    import tempfile

    with (
        tempfile.TemporaryFile() as asked,
        tempfile.TemporaryFile() as printed,
        tempfile.TemporaryFile() as complaints,
    ):
        asked.write(given)
        asked.seek(0)
        status = into(printed, words, folder, env, lock, given=asked, complaints=complaints, **how)
        printed.seek(0)
        complaints.seek(0)
        return status, printed.read(LONGEST + 1), complaints.read(LONGEST)


def into(
    file: IO[bytes],
    words: Sequence[str],
    folder: Path,
    env: Mapping[str, str],
    lock: Lock,
    *,
    timeout: float | None = None,
    stop: Stop | None = None,
    enclosure: Enclosure | None = None,
    given: IO[bytes] | None = None,
    complaints: IO[bytes] | None = None,
) -> int:
    """The same, with what it prints written to ``file`` while it runs.

    Args:
        file: where; it has a descriptor.
        words: the program and its arguments.
        folder: where it runs.
        env: its variables.
        lock: what it holds.
        timeout: seconds after which it is asked to end, with all it has started, and soon after made to.
        stop: the same, as soon as it says so.
        enclosure: where it runs, if it is to get out of nothing; it has no variables but those of that, and
            does not get hold of ``lock``: it ends with this process.
        given: what it reads, which has a descriptor; None: nothing.
        complaints: where its standard error goes; None: to ``file`` as well.

    Raises:
        TimeoutError: it took longer.
        InterruptedError: it was stopped.
        BadCall: ``invalid_args``: there is no such program.
    """
    waiting = Patience(timeout, stop)
    streams: dict[str, Any] = {
        "stdin": subprocess.DEVNULL if given is None else given.fileno(),
        "out": file,
        "err": complaints,
    }
    if enclosure is None:
        how = {"env": dict(env), "pass_fds": (lock.fd,)}
        return _run(words, folder, how, waiting=waiting, **streams)
    line = enclosure.words(words)
    how = {"env": dict(enclosure.env), "pass_fds": enclosure.fds}
    try:
        return _run(line, folder, how, waiting=waiting, **streams)
    finally:
        enclosure.ended()


_FOR_EVER = Patience()


def _run(
    words: Sequence[str],
    folder: Path,
    how: Mapping[str, Any],
    *,
    stdin: int | None,
    out: IO[bytes] | None = None,
    err: IO[bytes] | None = None,
    waiting: Patience = _FOR_EVER,
) -> int:
    with interrupts_later() as interrupted:
        child = started(
            list(words),
            cwd=folder,
            stdin=stdin,
            stdout=2 if out is None else out,  # a program's sys.stderr need not be a file
            stderr=out if err is None else err,
            start_new_session=True,  # so that all it starts can be ended with it
            **how,
        )
    try:
        for number in interrupted:
            signal.raise_signal(number)
        return waiting.wait(child)
    except (TimeoutError, InterruptedError):
        _ask_to_end(child)
        raise
    finally:
        # Whatever it left in the background would go on writing where somebody else works next.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _ask_to_end(child: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError, subprocess.TimeoutExpired):
        os.killpg(child.pid, signal.SIGTERM)
        child.wait(GRACE)


class Conversation(msgspec.Struct, frozen=True):
    """A program that is spoken to.

    Attributes:
        pid: of its process, which leads a group of its own.
        to: what it reads.
        said: what it prints.
        wait: its exit status, once it has ended; takes seconds, after which it is given up.
    """

    pid: int
    to: IO[bytes]
    said: IO[bytes]
    wait: Callable[[float], int]


@contextmanager
def conversing(words: Sequence[str], folder: Path, env: Mapping[str, str]) -> Iterator[Conversation]:
    """A program that is spoken to through its standard streams; it ends with the block, and all it started.

    The streams are the caller's, and stay open: something in the background may hold their other ends.

    Args:
        words: the program and its arguments.
        folder: where it runs.
        env: its variables.

    Raises:
        BadCall: ``invalid_args``: there is no such program.
    """
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    with interrupts_later() as interrupted:
        child = started(
            list(words),
            cwd=folder,
            env=dict(env),
            stdin=pipe,
            stdout=pipe,
            stderr=nothing,  # a pipe that nobody reads would stop it
            start_new_session=True,
        )
    try:
        for number in interrupted:
            signal.raise_signal(number)
        assert child.stdin is not None and child.stdout is not None  # noqa: S101, PT018 - they are pipes
        yield Conversation(child.pid, child.stdin, child.stdout, child.wait)
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def detached(words: Sequence[str]) -> None:
    """Start a program that stays when this process has ended, in no folder and with no terminal."""
    nothing = subprocess.DEVNULL
    subprocess.Popen(words, stdin=nothing, stdout=nothing, stderr=nothing, cwd="/", start_new_session=True)


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


def ended(status: int) -> str:
    """How a program with this status ended, in words."""
    if status >= 0:
        return f"ended with exit status {status}"
    with suppress(ValueError):
        return f"was killed by {signal.Signals(-status).name}"
    return f"was killed by signal {-status}"
