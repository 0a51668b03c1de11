"""Compute a list of results in several processes of this machine.

Workers are forks, so they share what the caller has read, and nothing is sent to them. Each writes its
results to a file without a name. The caller computes what a worker did not (it was killed, or raised an
error), so a result never depends on the workers.
"""

from __future__ import annotations

import gc
import os
import struct
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, TypeVar

Item = TypeVar("Item")
MAX_WORKERS = 8
_HEAD = struct.Struct("<II")
"""Index and length in bytes of a result."""


def compute_in_processes(
    compute: Callable[[Item], bytes | None], items: Sequence[Item], costs: Sequence[int], workers: int
) -> list[bytes | None]:
    """Return ``compute(item)`` for each item, in order.

    Args:
        compute: a function without side effects. None is a result that the caller cannot use.
        items: the arguments.
        costs: relative cost of each item, by which they are divided.
        workers: number of processes including this one.
    """
    shares = _divide(costs, max(1, min(workers, MAX_WORKERS, len(items))))
    children = []
    for share in shares[1:]:
        with suppress(OSError):  # no process, or no space for its results: the caller computes them
            children.append(_start(compute, items, share))
    results: dict[int, bytes | None] = {at: compute(items[at]) for at in shares[0]} if shares else {}
    for child, file in children:
        os.waitpid(child, 0)
        results.update(_read_results(file))
    return [results[at] if at in results else compute(item) for at, item in enumerate(items)]


def count_idle_processors() -> int:
    """Return the number of processors that a caller may use now, at least 1.

    1 also where a fork is not safe: in a process with threads, and on systems other than Linux.
    """
    if not sys.platform.startswith("linux") or threading.active_count() > 1:
        return 1
    processors = len(os.sched_getaffinity(0))
    with suppress(OSError, ValueError, IndexError):
        running = int(Path("/proc/loadavg").read_text("ascii").split()[3].partition("/")[0])
        return max(1, processors - running + 1)
    return 1


def _divide(costs: Sequence[int], shares: int) -> list[list[int]]:
    """Return the indexes of the items of each share; the shares cost about the same."""
    found: list[list[int]] = [[] for _ in range(shares)]
    totals = [0] * shares
    for at in sorted(range(len(costs)), key=lambda at: -costs[at]):
        least = totals.index(min(totals))
        found[least].append(at)
        totals[least] += costs[at]
    return found


def _start(
    compute: Callable[[Item], bytes | None], items: Sequence[Item], share: Sequence[int]
) -> tuple[int, BinaryIO]:
    file: BinaryIO = TemporaryFile()  # noqa: SIM115 - closed when its results have been read
    try:
        child = os.fork()
    except OSError:
        file.close()
        raise
    if child:
        return child, file
    try:  # the worker must not return to its caller's code, whatever happens
        gc.disable()
        for at in share:
            result = compute(items[at])
            if result is not None:
                file.write(_HEAD.pack(at, len(result)) + result)
        file.flush()
    finally:
        os._exit(0)


def _read_results(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield the results that a worker has written completely."""
    with file:
        file.seek(0)
        while len(head := file.read(_HEAD.size)) == _HEAD.size:
            at, length = _HEAD.unpack(head)
            content = file.read(length)
            if len(content) == length:
                yield at, content
