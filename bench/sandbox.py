"""What a sandbox costs a gate: the same edit with and without one, by turns.

``python -m bench.sandbox`` lands edits in a repository of 1,000 files, whose gate does nothing, without a
sandbox, in one whose files are laid over the worktree, and in one whose files are copied. Cold is the first
edit, which makes the worktree. Only the ratios mean something on another machine.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_MODES = {"none": "off", "laid over": "require", "copied": "require"}


def measure(files: int, rounds: int) -> dict[str, tuple[float, float]]:
    """Seconds of an edit with each kind: the first, and the median of those after it."""
    with tempfile.TemporaryDirectory(prefix="bench-sandbox-") as folder:
        place = Path(folder)
        (place / "restricted").mkdir()
        (place / "restricted/unshare").write_text("#!/bin/sh\nexit 1\n")
        (place / "restricted/unshare").chmod(0o755)
        search = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        env = {"HOME": folder, "XDG_CACHE_HOME": f"{folder}/cache", "SCALPEL_TRUST": "1"}
        envs = {name: {**os.environ, **env, "PATH": search} for name in _MODES}
        envs["copied"]["PATH"] = f"{place / 'restricted'}{os.pathsep}{search}"
        for name, mode in _MODES.items():
            _make(place / name, files, mode, envs[name])
        cold = {name: _edited(place / name, 0, envs[name]) for name in _MODES}
        warm: dict[str, list[float]] = {name: [] for name in _MODES}
        for number in range(1, rounds + 1):
            for name in _MODES:
                warm[name].append(_edited(place / name, number, envs[name]))
        return {name: (cold[name], statistics.median(warm[name])) for name in _MODES}


def _make(root: Path, files: int, mode: str, env: dict[str, str]) -> None:
    for number in range(files):
        file = root / f"pkg{number % 100}/module{number}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"def f{number}():\n    return 0\n")
    rules = f'[gates]\nsandbox = "{mode}"\n[[gates.command]]\nname = "gate"\nrun = "true"\n'
    (root / ".gitscalpel.toml").write_text(rules)
    who = (("user.name", "Bench"), ("user.email", "bench@example.invalid"))
    for words in (
        ["init", "-q"],
        *(["config", *pair] for pair in who),
        ["add", "."],
        ["commit", "-qm", "all"],
    ):
        subprocess.run(["git", *words], cwd=root, env=env, check=True)


def _edited(root: Path, number: int, env: dict[str, str]) -> float:
    words = [
        "git-scalpel",
        "text",
        "pkg0/module0.py",
        "--old",
        f"return {number}",
        "--new",
        f"return {number + 1}",
    ]
    began = time.perf_counter()
    subprocess.run(words, cwd=root, env=env, capture_output=True, check=True)
    return time.perf_counter() - began


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
