"""Has orders played by several workers at once, each a process under the library."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from queue import SimpleQueue

import msgspec

from tests.preload import building
from tests.sandbox import SEALED
from tests.schedules.worker import Asked, Played

_ROOT = Path(__file__).parent.parent.parent
_AHEAD = 64
"""So many orders wait for each worker, so that none has to wait for them."""


def why_not() -> str | None:
    """Why no order can be played here, or None."""
    reason = building.why_not()
    if reason is None and platform.libc_ver()[0] != "glibc":
        return "the schedule looks into streams as glibc has them"
    return reason


class Worker:
    """One of them."""

    def __init__(self, library: Path, folder: Path) -> None:
        # Whatever hangs on the order of a set is to be the same again.
        env = {**os.environ, **SEALED, "LD_PRELOAD": str(library), "PYTHONHASHSEED": "0"}
        words = [sys.executable, "-m", "tests.schedules.worker", str(folder)]
        self._process = subprocess.Popen(
            words, cwd=_ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def played(self, asked: Asked) -> Played:
        """Have one order played."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked).encode() + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the worker has died over {asked}"
        return msgspec.json.decode(line, type=Played)

    def end(self) -> None:
        """There is nothing more to do."""
        self._process.communicate()


def every(asked: Iterable[Asked], jobs: int) -> Iterator[Played]:
    """Have orders played; what came of them, as it comes in. Each scenario is played by one worker."""
    with place() as folder, ThreadPoolExecutor(jobs) as pool:
        library = building.built(Path(__file__).with_name("sched.c"), folder)
        lines = [SimpleQueue[Asked | None]() for _ in range(jobs)]
        told = SimpleQueue[Played | BaseException]()
        for line in lines:
            pool.submit(_work, Worker(library, folder), line, told)
        lanes: dict[str, int] = {}
        under_way = 0
        for one in asked:
            lane = lanes.setdefault(one.scenario, len(lanes) % jobs)
            lines[lane].put(one)
            under_way += 1
            if under_way >= _AHEAD * jobs:
                yield _next(told)
                under_way -= 1
        for line in lines:
            line.put(None)
        for _ in range(under_way):
            yield _next(told)


def _work(worker: Worker, line: SimpleQueue[Asked | None], told: SimpleQueue[Played | BaseException]) -> None:
    try:
        while one := line.get():
            told.put(worker.played(one))
    except BaseException as error:
        told.put(error)
    finally:
        worker.end()


def _next(told: SimpleQueue[Played | BaseException]) -> Played:
    found = told.get()
    if isinstance(found, BaseException):
        raise found
    return found


@contextmanager
def place() -> Iterator[Path]:
    """A folder for all of them, which is always the same one, unless somebody else has it.

    For where a repository lies decides in which order a set of paths is gone through.
    """
    for turn in count():
        folder = Path(tempfile.gettempdir()) / f"schedules.{os.getuid()}.{turn}"
        folder.mkdir(exist_ok=True)
        file = os.open(folder, os.O_RDONLY)
        try:
            if not _is_got(file, folder):
                continue
            for left in folder.iterdir():  # by one that was killed
                shutil.rmtree(left) if left.is_dir() else left.unlink()
            yield folder
            shutil.rmtree(folder)
            return
        finally:
            os.close(file)


def _is_got(file: int, folder: Path) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(file), folder.stat())  # else somebody has just removed it
    except (BlockingIOError, FileNotFoundError):
        return False
