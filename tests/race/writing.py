"""Writers as processes: what each was told, how long it waited, and whether all of it is true afterwards."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from gitscalpel.git.journal import journal_path
from tests.sandbox import Sandbox

MARK = 1000
"""Writer ``n`` writes ``return 1000 + n``, and nobody else does."""


class Told(NamedTuple):
    """What one edit was told: its writer, the error's code if it was refused, and the time it took."""

    writer: int
    code: str | None
    seconds: float
    words: str = ""


Writer = Callable[[Sandbox, int], list[Told]]


def module(count: int) -> bytes:
    """A file of ``count`` functions."""
    return "\n\n".join(f"def f{n}():\n    return {n}\n" for n in range(count)).encode()


def code(name: str, writer: int) -> str:
    """What a writer makes of a function."""
    return f"def {name}():\n    return {MARK + writer}\n"


def call(repo: Sandbox, *arguments: str) -> dict[str, Any]:
    """One command line and its answer."""
    done = subprocess.run(
        [sys.executable, "-m", "gitscalpel", *arguments, "--json"],
        cwd=repo.root,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.stdout, done.stderr.decode()
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict)
    return answer


def told(writer: int, answer: dict[str, Any], began: float) -> Told:
    """An answer as :class:`Told`."""
    took = time.perf_counter() - began
    if answer["ok"]:
        return Told(writer, None, took)
    return Told(writer, str(answer["error"]["code"]), took, str(answer["error"]["message"]))


def at_once(repo: Sandbox, writer: Writer, numbers: Iterable[int]) -> list[Told]:
    """Let writers loose on a repository, all at the same time."""
    numbers = list(numbers)
    with ThreadPoolExecutor(len(numbers)) as pool:
        return [one for some in pool.map(lambda n: writer(repo, n), numbers) for one in some]


def untrue(repo: Sandbox, answers: Sequence[Told], branches: Sequence[str] = ("main",)) -> list[str]:
    """What is not as the answers say, in words: nothing, if all is well."""
    text = "".join(_text(repo, branch) for branch in branches)
    lines = [line.strip() for line in text.splitlines()]
    found: list[str] = []
    for one in answers:
        times = lines.count(f"return {MARK + one.writer}")
        if times != (one.code is None):
            found.append(f"writer {one.writer} was told {one.code or 'landed'}, and is there {times} times")
    landed = sum(one.code is None for one in answers)
    records = call(repo, "log", "-n", "100000")["data"]
    logged = sum(record["kind"] == "land" for record in records)
    if logged != landed:
        found.append(f"{landed} landed, {logged} are in the log")
    left = {
        "fsck": repo.git("fsck", "--strict", "--no-dangling", "--no-progress"),
        "checkout": repo.status(),
        "transactions": repo.git("for-each-ref", "refs/scalpel/tx", "refs/scalpel/meta"),
        "journal": "is there" if journal_path(repo.root / ".git" / "scalpel").exists() else "",
    }
    return found + [f"{what}: {words}" for what, words in left.items() if words]


def _text(repo: Sandbox, branch: str) -> str:
    names = repo.git("ls-tree", "-r", "--name-only", branch).splitlines()
    return "".join(repo.git("cat-file", "blob", f"{branch}:{name}") + "\n" for name in names)
