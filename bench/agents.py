"""Agents that edit one repository at once: what has landed, what is lost, and how long it takes.

``python -m bench.agents`` has 16 of them make 1,000 edits each, by turns of a function of their own in a file
that all of them edit, and of a file of their own: with gitscalpel, and each in a worktree of its own whose
branch is merged after each edit, one at a time. It takes half an hour; the suite runs a sample.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import msgspec

from bench.repos import made, run, sealed
from bench.side_by_side.ways.scalpel import SERVED, server

SHARED = "shared.py"
_PATIENCE = 10.0
"""Seconds for which a lock may be in the way."""
Edit = Callable[[str, str, str], bool]
"""Gives a function in a file this code, with a message; whether that is on the main branch now."""
Opened = Callable[[Path, int], Edit]


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the edits of all agents.

    Attributes:
        way: by which they were made.
        landed: of which the agent was told that they are on the main branch.
        refused: of which it was told that they are not.
        lost: that landed, and are not in the history, or not in the files though they were the last of them.
        seconds: for all of them.
    """

    way: str
    landed: int
    refused: int
    lost: int
    seconds: float


def measure(folder: Path, agents: int, edits: int) -> Iterator[Ended]:
    """Have so many agents make so many edits each, one way after the other."""
    for way, opened in (("gitscalpel", _scalpel), ("a worktree each, and merge", _worktrees)):
        root = made(folder / way.split()[-1], _files(agents))
        with opened(root, agents) as by_agent:
            began = time.perf_counter()
            with ThreadPoolExecutor(agents) as pool:
                told = [*pool.map(lambda agent, by=by_agent: _works(by(agent), agent, edits), range(agents))]
            seconds = time.perf_counter() - began
        landed = sum(map(len, told))
        yield Ended(
            way=way,
            landed=landed,
            refused=agents * edits - landed,
            lost=_lost(root, told),
            seconds=seconds,
        )


def _files(agents: int) -> dict[str, str]:
    functions = "\n\n".join(_code(f"f{agent}", "-1") for agent in range(agents))
    return {SHARED: functions, **{f"own{agent}.py": _code(f"f{agent}", "-1") for agent in range(agents)}}


def _code(name: str, number: str) -> str:
    return f"def {name}():\n    return {number}\n"


def _works(edit: Edit, agent: int, edits: int) -> list[tuple[str, str]]:
    """The edits of one agent that have landed: in which file, and what its function returns since."""
    asked = [(f"own{agent}.py" if n % 2 else SHARED, str(agent * edits + n)) for n in range(edits)]
    return [(path, number) for path, number in asked if edit(path, f"f{agent}", number)]


def _lost(root: Path, told: list[list[tuple[str, str]]]) -> int:
    """How many of what has landed is not there."""
    history = Counter(run(root, "git", "log", "--no-merges", "--format=%s", "main").split())
    lost = sum(history[f"edit-{number}"] != 1 for each in told for _, number in each)
    for agent, each in enumerate(told):
        for path, number in dict(each).items():
            lost += _code(f"f{agent}", number) not in run(root, "git", "show", f"main:{path}")
    return lost


@contextmanager
def _scalpel(root: Path, _agents: int) -> Iterator[Callable[[int], Edit]]:
    def edit(path: str, name: str, number: str) -> bool:
        words = ("git", "scalpel", "replace", f"{path}::{name}", "-m", f"edit-{number}")
        return _done(root, *words, stdin=_code(name, number), **SERVED)

    with server(root):
        yield lambda _: edit


@contextmanager
def _worktrees(root: Path, agents: int) -> Iterator[Callable[[int], Edit]]:
    merging = Lock()  # whoever has agents do that lets one merge after the other
    places = [root.with_name(f"{root.name}-{agent}") for agent in range(agents)]
    for agent, place in enumerate(places):
        run(root, "git", "worktree", "add", "-q", "-b", f"agent{agent}", str(place))

    def of(agent: int) -> Edit:
        place = places[agent]

        def edit(path: str, name: str, number: str) -> bool:
            run(place, "git", "merge", "-q", "--ff-only", "main")
            text = (place / path).read_text()
            before = next(each for each in text.split("\n\n\n") if each.startswith(f"def {name}("))
            (place / path).write_text(text.replace(before.rstrip("\n"), _code(name, number).rstrip("\n")))
            run(place, "git", "commit", "-q", "-a", "-m", f"edit-{number}")
            with merging:
                if _done(root, "git", "merge", "-q", "--no-edit", f"agent{agent}"):
                    return True
                _given_up(root)
            run(place, "git", "reset", "-q", "--hard", "main")
            return False

        return edit

    yield of


def _given_up(root: Path) -> None:
    """The main branch as it was before a merge that failed: as over a lock of git's own housekeeping."""
    until = time.monotonic() + _PATIENCE
    while not _done(root, "git", "reset", "-q", "--hard") and time.monotonic() < until:
        time.sleep(0.05)


def _done(root: Path, *words: str, stdin: str = "", **env: str) -> bool:
    done = subprocess.run(
        words, cwd=root, input=stdin.encode(), env={**os.environ, **env}, capture_output=True, check=False
    )
    return done.returncode == 0


def main() -> None:
    """Measure, and say one beside the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=16)
    parser.add_argument("--edits", type=int, default=1_000)
    given = parser.parse_args()
    with sealed() as folder:
        for ended in measure(folder, given.agents, given.edits):
            print(
                f"{ended.way:>28}  landed {ended.landed}  refused {ended.refused}  lost {ended.lost}  "
                f"{ended.seconds:.0f} s, {ended.seconds * 1000 / max(ended.landed, 1):.1f} ms each"
            )


if __name__ == "__main__":
    main()
