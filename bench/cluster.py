"""How many independent transactions a cluster checks and lands in a minute, by its workers.

``python -m bench.cluster`` starts a scheduler and 1, 2 and 4 workers of Dask on this machine, each a process
with one thread, and lands transactions on branches of their own, for a gate that waits and one that computes.
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.repos import made, run, sealed

GATES = {"waiting": "sleep 3", "computing": "python3 -c 'sum(i * i for i in range(12_000_000))'"}
_BIN = Path(sys.executable).parent


@contextmanager
def cluster(folder: Path, workers: int, env: dict[str, str]) -> Iterator[str]:
    """A scheduler with so many workers; its address."""
    file = folder / "scheduler.json"
    words = [str(_BIN / "dask"), "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    processes = [_started([*words, "--scheduler-file", str(file)], env)]
    try:
        while not file.exists():
            time.sleep(0.1)
        for number in range(workers):
            place = folder / f"worker{number}"
            words = [str(_BIN / "dask"), "worker", "--scheduler-file", str(file), "--nthreads", "1"]
            words += ["--no-dashboard", "--local-directory", str(place)]
            its = {**env, "XDG_CACHE_HOME": str(place / "cache"), "SCALPEL_TRUST": "1"}
            processes.append(_started(words, its))
        distributed: Any = importlib.import_module("distributed")
        with distributed.Client(scheduler_file=str(file), set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=60)
            yield client.scheduler.address.removeprefix("tcp://")
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait()


def _started(words: list[str], env: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def measure(workers: int, command: str, transactions: int) -> float:
    """Seconds for so many transactions with so many workers, after one that warms each worker up."""
    with sealed() as folder:
        env = {**os.environ, "SCALPEL_TRUST": "1"}
        with cluster(folder, workers, env) as address:
            root = _made(folder, address, command, transactions + 2 * workers)
            with ThreadPoolExecutor(2 * workers) as pool:
                warm = range(transactions, transactions + 2 * workers)
                list(pool.map(lambda number: _land(root, env, number), warm))
                began = time.perf_counter()
                list(pool.map(lambda number: _land(root, env, number), range(transactions)))
                return time.perf_counter() - began


def _made(folder: Path, address: str, command: str, branches: int) -> Path:
    rules = f'[gates]\nexecutor = "dask://{address}"\n\n[[gates.command]]\nname = "gate"\nrun = "{command}"\n'
    root = made(folder / "repo", {"a.py": "x = 0\n", ".gitscalpel.toml": rules})
    hub = str(folder / "hub.git")
    run(root, "git", "init", "-q", "--bare", hub)
    run(root, "git", "remote", "add", "origin", hub)
    for number in range(branches):
        run(root, "git", "branch", f"b{number}")
    return root


def _land(root: Path, env: dict[str, str], number: int) -> None:
    edit = ("text", "a.py", "--old", "x = 0", "--new", f"x = {number + 1}", "--onto", f"b{number}")
    run(root, "git-scalpel", *edit, **env)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.cluster", description=__doc__)
    parser.add_argument("--workers", type=int, action="append")
    parser.add_argument("--transactions", type=int, default=24)
    given = parser.parse_args()
    print("gate        workers   seconds   a minute   to one worker")
    for name, command in GATES.items():
        first = None
        for workers in given.workers or (1, 2, 4):
            took = measure(workers, command, given.transactions)
            first = first or took
            rate = 60 * given.transactions / took
            print(f"{name:<11} {workers:>7} {took:>9.1f} {rate:>10.1f} {first / took:>15.2f}", flush=True)


if __name__ == "__main__":
    main()
