"""A real Dask cluster on this machine: a scheduler, and workers that are processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

_DASK = str(Path(sys.executable).with_name("dask"))
_LONGEST = 60


@contextmanager
def cluster(folder: Path, workers: int, env: Mapping[str, str], *security: str) -> Iterator[str]:
    """A scheduler with so many workers.

    Args:
        folder: for their files.
        workers: how many.
        env: on top of this environment, of the workers alone.
        security: options for all of them.

    Yields:
        ``HOST:PORT``.
    """
    folder.mkdir()
    file = folder / "scheduler.json"
    processes = [_started(folder, {}, ["scheduler", "--port", "0", "--scheduler-file", str(file), *security])]
    try:
        for number in range(workers):
            place = folder / f"worker{number}"
            place.mkdir()
            words = ["worker", "--scheduler-file", str(file), "--nthreads", "1"]
            words += ["--local-directory", str(place)]
            its = {"XDG_CACHE_HOME": str(place / "cache"), **env}
            _wait_for(file)
            processes.append(_started(place, its, [*words, *security]))
        _wait_for(file)
        address = str(json.loads(file.read_text())["address"])
        yield address.partition("://")[2]
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait(_LONGEST)


def _started(folder: Path, env: Mapping[str, str], words: Sequence[str]) -> subprocess.Popen[bytes]:
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            [_DASK, *words, "--host", "127.0.0.1", "--no-dashboard"],
            env={**os.environ, **env},
            cwd=folder,
            stdout=log,
            stderr=log,
        )


def _wait_for(file: Path) -> None:
    deadline = time.monotonic() + _LONGEST
    while not (file.exists() and file.read_text().rstrip().endswith("}")):  # it is written in pieces
        assert time.monotonic() < deadline, "the scheduler has not started"
        time.sleep(0.05)
