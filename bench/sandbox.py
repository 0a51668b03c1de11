"""What a sandbox costs a gate: the same edit with and without one, by turns.

``python -m bench.sandbox`` lands edits in a repository of 1,000 files, whose gate does nothing, without a
sandbox, in one whose files are laid over the worktree, and in one whose files are copied. Cold is the first
edit, which makes the worktree. Only the ratios mean something on another machine.
"""

from __future__ import annotations

import argparse
import os
import statistics

from bench.gates import edit, repository, seconds
from bench.repos import sealed

_MODES = {"none": "off", "laid over": "require", "copied": "require"}


def measure(files: int, rounds: int) -> dict[str, tuple[float, float]]:
    """Seconds of an edit with each kind: the first, and the median of those after it."""
    with sealed() as place:
        (place / "restricted").mkdir()
        (place / "restricted/unshare").write_text("#!/bin/sh\nexit 1\n")
        (place / "restricted/unshare").chmod(0o755)
        envs = {name: {"SCALPEL_TRUST": "1"} for name in _MODES}
        envs["copied"]["PATH"] = f"{place / 'restricted'}{os.pathsep}{os.environ['PATH']}"
        for name, mode in _MODES.items():
            repository(place / name, files, _rules(mode))
        cold = {name: seconds(place / name, envs[name], *edit(0)) for name in _MODES}
        warm: dict[str, list[float]] = {name: [] for name in _MODES}
        for number in range(1, rounds + 1):
            for name in _MODES:
                warm[name].append(seconds(place / name, envs[name], *edit(number)))
        return {name: (cold[name], statistics.median(warm[name])) for name in _MODES}


def _rules(mode: str) -> str:
    return f'[gates]\nsandbox = "{mode}"\n[[gates.command]]\nname = "gate"\nrun = "true"\n'


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.sandbox", description=__doc__)
    parser.add_argument("--files", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=11)
    given = parser.parse_args()
    found = measure(given.files, given.rounds)
    print("sandbox        cold    warm   to none: cold   warm")
    for name, (cold, warm) in found.items():
        ratios = f"{cold / found['none'][0]:>15.2f} {warm / found['none'][1]:>6.2f}"
        print(f"{name:<10} {cold:>8.3f} {warm:>7.3f} {ratios}")


if __name__ == "__main__":
    main()
