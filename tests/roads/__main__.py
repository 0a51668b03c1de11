"""``python -m tests.roads``: every goal by every road, then random ones, and a table of what came of them."""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.roads.goal import Goal
from tests.roads.goals import GOALS, anything
from tests.roads.ways import ROADS, faults
from tests.sandbox import SEALED, no_bubblewrap

Row = tuple[str, str]


def gone(goal: Goal, names: list[str]) -> tuple[Counter[Row], list[str]]:
    """Go to a goal by some roads: how often, and what was wrong."""
    counts: Counter[Row] = Counter()
    wrong: list[str] = []
    for name in names:
        with tempfile.TemporaryDirectory(prefix="roads-", ignore_cleanup_errors=True) as around:
            found = list(faults(Path(around), goal, name))
        counts[name, goal.gate] += 1
        wrong += [f"{each}\n    {goal}" for each in found]
    return counts, wrong


def _seal() -> None:
    home = tempfile.mkdtemp(prefix="roads-home-")
    # A sandbox would hide the folders from which the roads' hooks and commands take their files.
    os.environ["PATH"] = os.pathsep.join([no_bubblewrap(Path(home)), os.environ["PATH"]])
    os.environ.update(SEALED, HOME=home, XDG_CACHE_HOME=home, XDG_STATE_HOME=home, XDG_CONFIG_HOME=home)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.roads", description=__doc__)
    parser.add_argument("--minutes", type=float, default=0.0, help="of random goals, after the others")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    began = time.monotonic()
    counts: Counter[Row] = Counter()
    wrong: list[str] = []
    chance = random.Random(given.seed)  # noqa: S311 - to be had again
    with ProcessPoolExecutor(given.jobs, initializer=_seal) as pool:
        goals = list(GOALS)
        while goals:
            for done, found in pool.map(gone, goals, [list(ROADS)] * len(goals)):
                counts.update(done)
                wrong += found
                for each in found:
                    print(each, flush=True)
            left = time.monotonic() - began < 60 * given.minutes
            goals = [anything(chance) for _ in range(8 * given.jobs)] if left else []
    for gate in dict.fromkeys(goal.gate for goal in GOALS):
        print(f"{gate:<26} {sum(n for (_, each), n in counts.items() if each == gate):>7}")
    print()
    for name in ROADS:
        print(f"{name:<26} {sum(n for (each, _), n in counts.items() if each == name):>7}")
    print(f"{counts.total()} ways gone, {len(wrong)} wrong, {time.monotonic() - began:.0f} s")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
