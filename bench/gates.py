"""What a test gate costs beyond the test itself, against ``git worktree add``.

``python -m bench.gates`` makes repositories of 1,000 and 20,000 files and lands edits by the command line,
with and without a gate whose command sleeps for a tenth of a second, by turns. Cold is the first edit, which
makes the worktree; warm are those after it. Only the ratios mean something on another machine.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

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
    with tempfile.TemporaryDirectory(prefix="bench-gates-") as folder:
        place = Path(folder)
        env = {
            **{
                name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "SCALPEL_"))
            },
            "HOME": folder,
            "XDG_CACHE_HOME": str(place / "cache"),
            "SCALPEL_TRUST": "1",
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        }
        plain, gated = (
            made(place / name, files, rules, env) for name, rules in (("plain", ""), ("gated", _GATE))
        )
        worktree = []
        for number in range(3):
            worktree.append(
                timed(plain, env, "git", "worktree", "add", "-q", "--detach", f"{place}/w{number}")
            )
            shutil.rmtree(place / f"w{number}")
        timed(plain, env, *edit(0))
        cold = timed(gated, env, *edit(0))
        times: dict[Path, list[float]] = {plain: [], gated: []}
        for number in range(1, rounds + 1):
            for root, taken in times.items():
                taken.append(timed(root, env, *edit(number)))
        without, warm = (statistics.median(taken) for taken in times.values())
        return Cost(files, statistics.median(worktree), without, cold, warm)


def made(root: Path, files: int, rules: str, env: dict[str, str]) -> Path:
    """A repository of so many files, and of these rules."""
    for number in range(files):
        file = root / f"pkg{number % 100}/module{number}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"def f{number}():\n    return 0\n")
    if rules:
        (root / ".gitscalpel.toml").write_text(rules)
    who = ("-c", "user.name=Bench", "-c", "user.email=bench@example.invalid")
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "all"]):
        subprocess.run(["git", *words], cwd=root, env=env, check=True)
    for name, value in (("user.name", "Bench"), ("user.email", "bench@example.invalid")):
        subprocess.run(["git", "config", name, value], cwd=root, env=env, check=True)
    return root


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


def timed(root: Path, env: dict[str, str], *words: str) -> float:
    """The seconds that a command takes."""
    began = time.perf_counter()
    done = subprocess.run(words, cwd=root, env=env, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stderr.decode()}")
    return time.perf_counter() - began


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
        seconds = f"{cost.worktree:>12.3f} {cost.plain:>6.3f} {cost.cold:>13.3f} {cost.warm:>7.3f}"
        ratios = f"{cost.beyond(cost.cold):>40.2f} {cost.beyond(cost.warm):>6.2f}"
        print(f"{files:<6} {seconds} {ratios}", flush=True)


if __name__ == "__main__":
    main()
