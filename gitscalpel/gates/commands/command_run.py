"""Run the commands of gates: in order, with retries, and with their output shown line by line.

Commands start at once, except those that have to come after others. Each shown line has the name of its
gate.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import msgspec

from gitscalpel.changesets.rules import Command
from gitscalpel.gates.sandbox.sandbox import Box
from gitscalpel.gates.sandbox.sandboxed_process import Disk
from gitscalpel.system import processes
from gitscalpel.system.repo_lock import Lock


class Tail:
    """The ends of files that grow.

    Args:
        show: told each line.
    """

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._seen: dict[str, tuple[Path, int]] = {}

    def add(self, name: str, file: Path) -> None:
        """Show the lines of one more file."""
        self._seen[name] = (file, 0)

    def look(self) -> None:
        """Show the lines that are complete since the last look."""
        for name, (file, at) in self._seen.items():
            try:
                with file.open("rb") as opened:
                    opened.seek(at)
                    text = opened.read()
            except FileNotFoundError:
                continue
            whole = text[: text.rfind(b"\n") + 1]
            for line in whole.decode("utf-8", "replace").splitlines():
                self._show(f"{name}| {line}")
            self._seen[name] = (file, at + len(whole))


How = Literal["passed", "failed", "timed out", "cannot tell", "changed files", "out of room"]
CANNOT_TELL = 125
"""The exit status by which a command says that it cannot judge this tree, as for `git bisect run`."""


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """How a command ended.

    Attributes:
        how: what that means.
        status: its exit status; None where it was stopped.
        output: what it printed, at the end.
        seconds: how long it took, all tries together.
        tries: how often it was run.
        whole: ``output`` is all that it printed.
        changed: the files that were changed meanwhile: whoever came later saw something else.
        where: where it ran: ``bubblewrap``, ``off``, or ``none`` and why there is no sandbox.
    """

    how: How
    status: int | None
    output: str
    seconds: float
    tries: int = 1
    whole: bool = True
    changed: tuple[str, ...] = ()
    where: str = ""

    def unless(self, changed: Sequence[str]) -> Ran:
        """The same, unless files were changed meanwhile: then it says nothing."""
        if not changed:
            return self
        return msgspec.structs.replace(self, how="changed files", changed=tuple(changed))


def meaning(status: int) -> How:
    """What an exit status means."""
    if status == CANNOT_TELL:
        return "cannot tell"
    return "failed" if status else "passed"


_KEPT = 1_000_000
"""Characters of a command's output, from its end, that are kept: places of failures are read out of them."""


_ALWAYS = {"PYTHONDONTWRITEBYTECODE": "1"}
"""Python takes a compiled file for the source of the same second and size, which may be the tree before."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A command to run.

    Attributes:
        line: for the shell.
        root: of the worktree in which it runs.
        outer: the caller's variables; a sandbox lets in what it will of them.
        env: variables on top.
        timeout: seconds for each try.
        retries: how many more times it may fail.
        output: the file that it prints into.
        box: makes a sandbox for each try, if it runs in one.
        network: whether it has the machine's there; None: as the rules say.
        where: where that is, in words.
    """

    line: str
    root: Path
    outer: Mapping[str, str]
    env: Mapping[str, str]
    timeout: float
    retries: int
    output: Path
    box: Box | None = None
    network: bool | None = None
    where: str = ""


def run(job: Job, lock: Lock, stop: processes.Stop | None = None) -> Ran:
    """Run it; ``lock`` is what holds the worktree. Raises ``InterruptedError`` once ``stop`` is set."""
    began = time.monotonic()
    tries = 0
    while True:
        tries += 1
        ran = _once(job, lock, stop)
        if ran.how != "failed" or tries > job.retries:
            took = round(time.monotonic() - began, 4)
            return msgspec.structs.replace(ran, tries=tries, seconds=took, where=job.where)


def _once(job: Job, lock: Lock, stop: processes.Stop | None) -> Ran:
    if job.box is None:
        return _started(job, lock, stop)
    with job.box.cell(job.line, {**job.env, **_ALWAYS}, network=job.network) as cell:
        disk = Disk(job.box.notes.path, stop)
        try:
            ran = _started(job, lock, disk, cell)
        except InterruptedError:
            if not disk.low:
                raise
            return _ran(job, "out of room", None)
        cell.hand_over()
        return ran.unless(cell.changed(job.box.tracked))


def _started(
    job: Job, lock: Lock, stop: processes.Stop | None, cell: processes.Enclosure | None = None
) -> Ran:
    status, words, env = None, ["sh", "-c", job.line], {**job.outer, **job.env, **_ALWAYS}
    how: dict[str, Any] = {"timeout": job.timeout, "stop": stop, "enclosure": cell}
    with job.output.open("w+b") as file, suppress(TimeoutError):
        status = processes.into(file, words, job.root, env, lock, **how)
    return _ran(job, "timed out" if status is None else meaning(status), status)


def _ran(job: Job, how: How, status: int | None) -> Ran:
    # The next worktree has another name, and the same files.
    output, whole = _end(job.output)
    for name in (f"{job.root}/", quote(f"{job.root}/")):  # a URI spells it otherwise
        output = output.replace(name, "")
    return Ran(how=how, status=status, output=output, whole=whole, seconds=0.0)


def _end(file: Path) -> tuple[str, bool]:
    """The last characters of a file, from the beginning of a line; whether that is all."""
    size = file.stat().st_size
    with file.open("rb") as opened:
        opened.seek(max(0, size - 4 * _KEPT))
        text = opened.read().decode("utf-8", "replace")
    if len(text) <= _KEPT:
        return text, size <= 4 * _KEPT
    return text[-_KEPT:].partition("\n")[2] or text[-_KEPT:], False


_QUIET = 0.3
"""Seconds after which it is said what is being waited for."""


def run_in_order(
    gates: Sequence[Command],
    passed: set[str],
    start: Callable[[Command], Future[Ran]],
    waiting: Callable[[list[str]], None],
    look: Callable[[], None],
) -> Iterator[tuple[Command, Ran | None]]:
    """Start each gate once those before it have passed.

    Args:
        gates: in an order in which each stands behind those that it comes after.
        passed: the names of those that have passed already.
        start: runs one.
        waiting: told the names of those that are running, if that takes a while.
        look: called now and then while they are.

    Yields:
        each gate when it has ended, and how; None: one that it comes after has not passed.
    """
    left, running = list(gates), dict[Future[Ran], Command]()
    passed, told = set(passed), False
    while left or running:
        for gate in [gate for gate in left if passed.issuperset(gate.after)]:
            running[start(gate)] = gate
            left.remove(gate)
        if not running:
            break
        done, _ = wait(running, _QUIET, FIRST_COMPLETED)
        look()
        if not done and not told:
            told = True
            waiting([gate.name for gate in running.values()])
        for future in done:
            gate, ran = running.pop(future), future.result()
            passed |= {gate.name} if ran.how == "passed" else set()
            yield gate, ran
    yield from ((gate, None) for gate in left)
