"""Start programs other than git. No other module does.

A program runs to its end with a time limit, or in parallel as a conversation, or on the caller's terminal.
The processes that it left in the background end with it.
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
GRACE_S = 2.0  # seconds for a program to clean up after its time limit
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def start_process(words: list[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a program with arguments of ``Popen``. Raises ``BadCall`` if the program does not exist."""
    try:
        return subprocess.Popen(words, **options)
    except OSError as error:
        if error.errno == errno.ENOEXEC and words[0] != SHELL:
            return start_process([SHELL, *words], **options)  # a script without a #! line, as execvp does
        raise BadCall(
            "invalid_args",
            f"{words[0]} cannot be run: {error.strerror}",
            "check its name, and that it is installed and executable",
        ) from None


@contextmanager
def defer_signals() -> Iterator[list[int]]:
    """Collect signals in the block instead of handling them: during ``Popen``, one would leave a child."""
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


_STOP_CHECK_S = 0.2  # seconds between checks of the stop condition


class StopCondition(Protocol):
    """Condition to end a program, such as a ``threading.Event``."""

    def is_set(self) -> bool:
        """Return True if the program must end now."""


class WaitLimits(msgspec.Struct, frozen=True):
    """Limits of waiting for a program: the time in seconds (None for no limit), and a condition to end it."""

    timeout: float | None = None
    stop: StopCondition | None = None

    def wait(self, child: subprocess.Popen[bytes]) -> int:
        """Wait for a child and return its exit status. Raises ``TimeoutError`` or ``InterruptedError``."""
        if self.timeout is None and self.stop is None:
            return child.wait()
        end = time.monotonic() + (math.inf if self.timeout is None else self.timeout)
        # A thread notices the end at once; with a timeout, `Popen.wait` polls twenty times a second.
        waiting = threading.Thread(target=child.wait, daemon=True)
        waiting.start()
        while not (self.stop and self.stop.is_set()):
            waiting.join(max(0, min(end - time.monotonic(), _STOP_CHECK_S)))
            if not waiting.is_alive():
                return child.wait()
            if time.monotonic() >= end:
                raise TimeoutError(f"it took longer than {self.timeout} s")
        raise InterruptedError


MAX_OUTPUT_BYTES = 16 << 20  # maximum output in bytes


class Enclosure(Protocol):
    """A sandbox for one program."""

    @property
    def env(self) -> Mapping[str, str]:
        """Return the whole environment of the program."""

    @property
    def fds(self) -> tuple[int, ...]:
        """Return the descriptors that the sandbox inherits, valid after :meth:`words`."""

    def words(self, program: Sequence[str]) -> list[str]:
        """Return the command line that runs ``program`` in the sandbox."""

    def wait_until_ended(self) -> None:
        """Wait until all processes in the sandbox, which were told to end, have ended."""


def run(words: Sequence[str], folder: Path, env: Mapping[str, str], lock: Lock) -> int:
    """Run a program to its end and return its exit status. Background processes of it are killed.

    Its output goes to standard error, since standard output is for the answer. It can read the terminal.
    ``env`` has no variables that select a repository. The program inherits ``lock``, to keep it if the
    parent is killed.

    Raises:
        BadCall: ``invalid_args``: the program does not exist.
    """
    at_terminal = sys.stdin is not None and sys.stdin.isatty()
    options = {"env": dict(env), "pass_fds": (lock.fd,)}
    return _run(words, folder, options, stdin=None if at_terminal else subprocess.DEVNULL)


def run_captured(
    words: Sequence[str],
    folder: Path,
    env: Mapping[str, str],
    lock: Lock,
    enclosure: Enclosure | None = None,
    *,
    stop: StopCondition | None = None,
) -> tuple[int, str]:
    """Run a program without input, and return its exit status and output.

    Raises:
        InterruptedError: ``stop`` was set.
    """
    import tempfile

    # A file, since background processes would keep a pipe open.
    with tempfile.TemporaryFile() as output_file:
        status = run_into(output_file, words, folder, env, lock, enclosure=enclosure, stop=stop)
        output_file.seek(0)
        return status, output_file.read().decode("utf-8", "replace")


def run_with_input(
    words: Sequence[str], folder: Path, env: Mapping[str, str], lock: Lock, given: bytes, **options: Any
) -> tuple[int, bytes, bytes]:
    """Run a program with a standard input. Background processes of it are killed.

    Further arguments are ``timeout``, ``stop`` and ``enclosure`` of :func:`run_into`.

    Returns:
        exit status, standard output (at most :data:`MAX_OUTPUT_BYTES` and one more) and standard error.

    Raises:
        TimeoutError, InterruptedError, BadCall: as in :func:`run_into`.
    """
    import tempfile

    with (
        tempfile.TemporaryFile() as input_file,
        tempfile.TemporaryFile() as output_file,
        tempfile.TemporaryFile() as error_file,
    ):
        input_file.write(given)
        input_file.seek(0)
        status = run_into(
            output_file, words, folder, env, lock, given=input_file, complaints=error_file, **options
        )
        output_file.seek(0)
        error_file.seek(0)
        return status, output_file.read(MAX_OUTPUT_BYTES + 1), error_file.read(MAX_OUTPUT_BYTES)


def run_into(
    file: IO[bytes],
    words: Sequence[str],
    folder: Path,
    env: Mapping[str, str],
    lock: Lock,
    *,
    timeout: float | None = None,
    stop: StopCondition | None = None,
    enclosure: Enclosure | None = None,
    given: IO[bytes] | None = None,
    complaints: IO[bytes] | None = None,
) -> int:
    """Run a program and write its output to ``file`` while it runs.

    Args:
        file: file with a descriptor.
        words: program and arguments.
        folder: working directory.
        env: environment.
        lock: lock that it inherits.
        timeout: seconds after which all its processes are told to end, and killed soon after.
        stop: condition to end it in the same way.
        enclosure: sandbox. It replaces the environment, and the program does not inherit ``lock``: it ends
            with this process.
        given: standard input with a descriptor. None for no input.
        complaints: file for standard error. None for ``file``.

    Raises:
        TimeoutError: the time limit was exceeded.
        InterruptedError: ``stop`` was set.
        BadCall: ``invalid_args``: the program does not exist.
    """
    waiting = WaitLimits(timeout, stop)
    streams: dict[str, Any] = {
        "stdin": subprocess.DEVNULL if given is None else given.fileno(),
        "out": file,
        "err": complaints,
    }
    if enclosure is None:
        options = {"env": dict(env), "pass_fds": (lock.fd,)}
        return _run(words, folder, options, waiting=waiting, **streams)
    line = enclosure.words(words)
    options = {"env": dict(enclosure.env), "pass_fds": enclosure.fds}
    try:
        return _run(line, folder, options, waiting=waiting, **streams)
    finally:
        enclosure.wait_until_ended()


_NO_LIMIT = WaitLimits()


def _run(
    words: Sequence[str],
    folder: Path,
    options: Mapping[str, Any],
    *,
    stdin: int | None,
    out: IO[bytes] | None = None,
    err: IO[bytes] | None = None,
    waiting: WaitLimits = _NO_LIMIT,
) -> int:
    stdout = 2 if out is None else out  # our sys.stderr need not be a file
    stderr = out if err is None else err
    with _run_in_session(words, cwd=folder, stdin=stdin, stdout=stdout, stderr=stderr, **options) as child:
        try:
            return waiting.wait(child)
        except (TimeoutError, InterruptedError):
            with suppress(ProcessLookupError, PermissionError, subprocess.TimeoutExpired):
                os.killpg(child.pid, signal.SIGTERM)
                child.wait(GRACE_S)
            raise


@contextmanager
def _run_in_session(words: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Start a program in a session of its own. All its processes are killed at the end of the block.

    Otherwise background processes could still write to the directory of the next program.
    """
    with defer_signals() as interrupted:
        child = start_process(list(words), start_new_session=True, **options)
    try:
        for number in interrupted:
            signal.raise_signal(number)
        yield child
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


class Conversation(msgspec.Struct, frozen=True):
    """A running program with pipes. It leads a process group of its own.

    ``wait`` returns its exit status, waiting at most the given seconds.
    """

    pid: int
    stdin: IO[bytes]
    stdout: IO[bytes]
    wait: Callable[[float], int]


@contextmanager
def open_conversation(words: Sequence[str], folder: Path, env: Mapping[str, str]) -> Iterator[Conversation]:
    """Start a program with pipes. All its processes are killed at the end of the block.

    The caller closes the streams, since a background process may hold their other ends.

    Raises:
        BadCall: ``invalid_args``: the program does not exist.
    """
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL  # a pipe without a reader would block it
    with _run_in_session(words, cwd=folder, env=dict(env), stdin=pipe, stdout=pipe, stderr=nothing) as child:
        assert child.stdin is not None and child.stdout is not None  # noqa: S101, PT018 - they are pipes
        yield Conversation(child.pid, child.stdin, child.stdout, child.wait)


def start_detached(words: Sequence[str]) -> None:
    """Start a program that outlives this process, without working directory or terminal."""
    nothing = subprocess.DEVNULL
    subprocess.Popen(words, stdin=nothing, stdout=nothing, stderr=nothing, cwd="/", start_new_session=True)


_NO_PROGRAM = 127  # exit status of a shell for a missing program


def run_on_terminal(words: Sequence[str], folder: Path, env: Mapping[str, str], *, aloud: bool) -> int:
    """Run a program on the caller's terminal, as a shell would, and return the shell's exit status.

    Background processes of it stay. Its output goes to standard error unless ``aloud``.

    Raises:
        BadCall: ``invalid_args``: the program does not exist.
    """
    child = start_process(list(words), cwd=folder, env=dict(env), stdout=None if aloud else 2)
    try:
        status = child.wait()
    except KeyboardInterrupt:  # the terminal has interrupted it as well
        with suppress(subprocess.TimeoutExpired):
            child.wait(GRACE_S)
        child.terminate()
        status = child.wait()
    return status if status >= 0 else 128 - status


def show_in_pager(pager: str, text: bytes, env: Mapping[str, str]) -> bool:
    """Show a text in a pager, a command line for the shell. Return False if there is no such program."""
    env = {"LESS": "FRX", "LV": "-c", **env}  # as git sets them
    with subprocess.Popen([SHELL, "-c", pager], stdin=subprocess.PIPE, env=env) as child:
        assert child.stdin is not None  # noqa: S101 - it is a pipe
        with suppress(BrokenPipeError, KeyboardInterrupt):
            child.stdin.write(text)
        with suppress(BrokenPipeError):
            child.stdin.close()
        while child.returncode is None:
            with suppress(KeyboardInterrupt):  # only the pager handles it
                child.wait()
    return child.returncode != _NO_PROGRAM


def run_for_output(words: Sequence[str], folder: Path, env: Mapping[str, str]) -> tuple[int, str]:
    nothing, pipe = subprocess.DEVNULL, subprocess.PIPE
    with start_process(
        list(words), cwd=folder, env=dict(env), stdin=nothing, stdout=pipe, stderr=subprocess.STDOUT
    ) as child:
        printed, _ = child.communicate()
    return child.returncode, printed.decode("utf-8", "replace")


def describe_exit(status: int) -> str:
    if status >= 0:
        return f"ended with exit status {status}"
    with suppress(ValueError):
        return f"was killed by {signal.Signals(-status).name}"
    return f"was killed by signal {-status}"
