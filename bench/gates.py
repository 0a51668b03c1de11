"""What a test gate costs beyond the test itself, against ``git worktree add``.

``python -m bench.gates`` makes repositories of 1,000 and 20,000 files and lands edits by the command line,
with and without a gate whose command sleeps for a tenth of a second, by turns. Cold is the first edit, which
makes the worktree; warm are those after it. Only the ratios mean something on another machine.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
from pathlib import Path
from typing import NamedTuple

from bench.repos import made, run, sealed, timed

_TEST = 0.1
"""Seconds that the test itself takes."""
_GATE = f'[[gates.command]]\nname = "test"\nrun = "sleep {_TEST}"\n'


class Cost(NamedTuple):
    """Seconds, medians but for ``cold``.

    Attributes:
        files: of the repository.
        worktree: ``git worktree add`` of the whole.
        plain: an edit without a gate.
        cold: the first edit with the gate.
        warm: those after it.
    """

    files: int
    worktree: float
    plain: float
    cold: float
    warm: float

    def beyond(self, gated: float) -> float:
        """What a gated edit takes beyond the test and the edit, as a part of making a worktree."""
        return (gated - self.plain - _TEST) / self.worktree


def measure(files: int, rounds: int) -> Cost:
    """Measure in a repository of so many files."""
    with sealed() as place:
        env = {"SCALPEL_TRUST": "1"}
        plain, gated = (
            repository(place / name, files, rules) for name, rules in (("plain", ""), ("gated", _GATE))
        )
        worktree = []
        for number in range(3):
            words = ("git", "worktree", "add", "-q", "--detach", f"{place}/w{number}")
            worktree.append(seconds(plain, env, *words))
            shutil.rmtree(place / f"w{number}")
        seconds(plain, env, *edit(0))
        cold = seconds(gated, env, *edit(0))
        times: dict[Path, list[float]] = {plain: [], gated: []}
        for number in range(1, rounds + 1):
            for root, taken in times.items():
                taken.append(seconds(root, env, *edit(number)))
        without, warm = (statistics.median(taken) for taken in times.values())
        return Cost(files, statistics.median(worktree), without, cold, warm)


def repository(root: Path, files: int, rules: str) -> Path:
    """Of so many files, and of these rules."""
    modules = {f"pkg{n % 100}/module{n}.py": f"def f{n}():\n    return 0\n" for n in range(files)}
    return made(root, {**modules, **({".gitscalpel.toml": rules} if rules else {})})


def edit(number: int) -> tuple[str, ...]:
    """The command line of one edit after another."""
    return (
        "git-scalpel",
        "text",
        "pkg0/module0.py",
        "--old",
        f"return {number}",
        "--new",
        f"return {number + 1}",
    )


def seconds(root: Path, env: dict[str, str], *words: str) -> float:
    """Those that a command takes."""
    return timed(lambda: run(root, *words, **env)) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.gates", description=__doc__)
    parser.add_argument("--files", type=int, action="append")
    parser.add_argument("--rounds", type=int, default=11)
    given = parser.parse_args()
    print(
        "files   worktree add   edit   gated: cold    warm   beyond the test, to a worktree add: cold   warm"
    )
    for files in given.files or (1_000, 20_000):
        cost = measure(files, given.rounds)
        took = f"{cost.worktree:>12.3f} {cost.plain:>6.3f} {cost.cold:>13.3f} {cost.warm:>7.3f}"
        ratios = f"{cost.beyond(cost.cold):>40.2f} {cost.beyond(cost.warm):>6.2f}"
        print(f"{files:<6} {took} {ratios}", flush=True)


if __name__ == "__main__":
    main()
