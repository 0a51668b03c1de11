"""Many processes that edit at the same time, against as many landings one after the other."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

from bench.repos import made, run, timed
from bench.side_by_side.bench import Bench
from bench.side_by_side.pairs import paired
from bench.side_by_side.values import Row
from bench.side_by_side.ways.scalpel import SERVED, server

Target = Callable[[int], tuple[str, str]]
"""The file and the function of the n-th writer."""
TARGETS: dict[str, Target] = {
    "one file": lambda n: ("a.py", f"f{n}"),
    "different files": lambda n: (f"pkg/m{n}.py", "f0"),
}
WRITERS = 64


def rows(bench: Bench) -> Iterator[Row]:
    """Measure it cold and through the server, on one file and on different ones."""
    writers = min(WRITERS, max(bench.files))
    for where, target in TARGETS.items():
        for way, env in (("cold", {}), ("through its server", SERVED)):
            root = repository(bench.fresh() / "repo", writers)
            with server(root) if env else nullcontext():
                pair = paired(
                    lambda n, env=env, root=root, target=target: (
                        at_once(root, target, writers, n, env)  # type: ignore[misc]
                        / writers
                    ),
                    lambda n, env=env, root=root: alone(root, n, env),  # type: ignore[misc]
                    bench.few,
                )
            yield Row(
                row="writers",
                what=f"an edit of one of {writers} processes that edit {where} at once",
                way=f"git scalpel, {way}",
                against="one landing alone",
                value=pair.value,
                other=pair.other,
                ratio=pair.ratio,
                budget=0.4 if where == "one file" and writers == WRITERS else None,
            )


def repository(root: Path, writers: int) -> Path:
    """With one file that has a function for each of them, and a file for each of them."""
    files = {f"pkg/m{n}.py": "def f0():\n    return 0\n" for n in range(writers)}
    together = "\n\n".join(f"def f{n}():\n    return 0\n" for n in range(writers))
    return made(root, {**files, "a.py": together, "b.py": "def f0():\n    return 0\n"})


def at_once(root: Path, target: Target, writers: int, number: int, env: dict[str, str]) -> float:
    """Milliseconds until the last one is done; that all have landed is looked at."""

    def act() -> None:
        started = [
            subprocess.Popen(
                _words(*target(n), number),
                cwd=root,
                env={**os.environ, **env},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            for n in range(writers)
        ]
        for process in started:
            _, said = process.communicate()
            if process.returncode:
                raise SystemExit(f"a writer failed:\n{said.decode()}")

    took = timed(act)
    for n in range(writers):
        path, name = target(n)
        if f"def {name}():\n    return {number + 1}\n" not in (root / path).read_text():
            raise SystemExit(f"{path} does not hold the edit of writer {n}")
    return took


def alone(root: Path, number: int, env: dict[str, str]) -> float:
    """Milliseconds of one landing while nobody else is about."""
    return timed(lambda: run(root, *_words("b.py", "f0", number), **env))


def _words(path: str, name: str, number: int) -> tuple[str, ...]:
    code = f"def {name}():\n    return {number + 1}\n"
    return ("git", "scalpel", "replace", f"{path}::{name}", "--code", code, "--wait", "600")
