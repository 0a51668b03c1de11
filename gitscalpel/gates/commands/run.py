"""Runs one command in a worktree, again if it may fail once or twice."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from gitscalpel.gates.commands.ran import How, Ran, meaning
from gitscalpel.gates.sandbox.box import Box
from gitscalpel.gates.sandbox.disk import Disk
from gitscalpel.system import processes
from gitscalpel.system.repo_lock import Lock

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
