"""Runs one command in a worktree, again if it may fail once or twice."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from gitscalpel import command
from gitscalpel.gates.commands.ran import Ran, meaning
from gitscalpel.lock import Lock

_KEPT = 1_000_000
"""Characters of a command's output, from its end, that are kept: places of failures are read out of them."""


_ALWAYS = {"PYTHONDONTWRITEBYTECODE": "1"}
"""Python takes a compiled file for the source of the same second and size, which may be the tree before."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A command to run.

    Attributes:
        line: for the shell.
        root: of the worktree in which it runs.
        env: variables on top of the caller's.
        timeout: seconds for each try.
        retries: how many more times it may fail.
        output: the file that it prints into.
    """

    line: str
    root: Path
    env: Mapping[str, str]
    timeout: float
    retries: int
    output: Path


def run(job: Job, lock: Lock, stop: command.Stop | None = None) -> Ran:
    """Run it; ``lock`` is what holds the worktree. Raises ``InterruptedError`` once ``stop`` is set."""
    began = time.monotonic()
    tries = 0
    while True:
        tries += 1
        ran = _once(job, lock, stop)
        if ran.how != "failed" or tries > job.retries:
            return msgspec.structs.replace(ran, tries=tries, seconds=round(time.monotonic() - began, 4))


def _once(job: Job, lock: Lock, stop: command.Stop | None) -> Ran:
    status, words, env = None, ["sh", "-c", job.line], {**job.env, **_ALWAYS}
    with job.output.open("w+b") as file, suppress(TimeoutError):
        status = command.into(file, words, job.root, env, lock, timeout=job.timeout, stop=stop)
    how = "timed out" if status is None else meaning(status)
    # The next worktree has another name, and the same files.
    output, whole = _end(job.output)
    return Ran(how=how, status=status, output=output.replace(f"{job.root}/", ""), whole=whole, seconds=0.0)


def _end(file: Path) -> tuple[str, bool]:
    """The last characters of a file, from the beginning of a line; whether that is all."""
    size = file.stat().st_size
    with file.open("rb") as opened:
        opened.seek(max(0, size - 4 * _KEPT))
        text = opened.read().decode("utf-8", "replace")
    if len(text) <= _KEPT:
        return text, size <= 4 * _KEPT
    return text[-_KEPT:].partition("\n")[2] or text[-_KEPT:], False
