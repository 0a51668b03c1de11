"""Real Dask cluster on this machine: a scheduler and worker processes."""

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
    """Start a scheduler and workers, and end them afterwards.

    Args:
        folder: directory for their files.
        workers: number of workers.
        env: variables of the workers, in addition to the current environment.
        security: command-line options for all processes.

    Yields:
        Address of the scheduler, as ``HOST:PORT``.
    """
    folder.mkdir()
    file = folder / "scheduler.json"
    processes = [_start(folder, {}, ["scheduler", "--port", "0", "--scheduler-file", str(file), *security])]
    try:
        for number in range(workers):
            place = folder / f"worker{number}"
            place.mkdir()
            words = ["worker", "--scheduler-file", str(file), "--nthreads", "1"]
            words += ["--local-directory", str(place)]
            its = {"XDG_CACHE_HOME": str(place / "cache"), **env}
            _wait_for(file)
            processes.append(_start(place, its, [*words, *security]))
        _wait_for(file)
        address = str(json.loads(file.read_text())["address"])
        yield address.partition("://")[2]
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait(_LONGEST)


def _start(folder: Path, env: Mapping[str, str], words: Sequence[str]) -> subprocess.Popen[bytes]:
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
    # The scheduler writes the file in several steps.
    while not (file.exists() and file.read_text().rstrip().endswith("}")):
        assert time.monotonic() < deadline, "the scheduler has not started"
        time.sleep(0.05)
