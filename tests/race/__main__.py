"""The whole race: ``python -m tests.race [WRITERS] [SCENE…]`` prints what landed, and how long it took.

``alone`` is the median of five landings by one writer with nobody else about, measured before each
scene; ``ratio`` is the time of all against so many landings alone.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.race.scenes import SCENES
from tests.race.writing import call, code, module
from tests.sandbox import SEALED, Sandbox

_ROW = "{:<27}{:>8}{:>8}{:>6}{:>9}{:>9}{:>8}{:>7}{:>8}{:>8}"


def alone(folder: Path) -> float:
    """Seconds for one landing with nobody else about."""
    repo = Sandbox.init(folder)
    repo.commit({"a.py": module(64)})
    took = []
    for n in range(5):
        began = time.perf_counter()
        assert call(repo, "replace", f"a.py::f{n}", "--code", code(f"f{n}", n))["ok"]
        took.append(time.perf_counter() - began)
    return statistics.median(took)


def main(writers: int, names: list[str]) -> int:
    """Run the scenes; the number of those in which something was wrong."""
    print(
        _ROW.format("scene", "edits", "landed", "lost", "doubled", "seconds", "alone", "ratio", "p50", "p99")
    )
    bad = 0
    for name in names or SCENES:
        with tempfile.TemporaryDirectory() as place:
            for variable in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
                os.environ[variable] = place
            one = alone(Path(place) / "alone")
            repo = Sandbox.init(Path(place) / "repo")
            began = time.perf_counter()
            scene = SCENES[name](repo, writers)
            took = time.perf_counter() - began
        waits = sorted(told.seconds for told in scene.told)
        landed = sum(told.code is None for told in scene.told)
        lost = sum("is there 0 times" in words for words in scene.wrong)
        doubled = sum("is there" in words for words in scene.wrong) - lost
        row = [
            name,
            len(waits),
            landed,
            lost,
            doubled,
            f"{took:.1f}",
            f"{one:.2f}",
            f"{took / one / len(waits):.2f}",
        ]
        print(
            _ROW.format(*row, f"{waits[len(waits) // 2]:.1f}", f"{waits[int(len(waits) * 0.99)]:.1f}"),
            flush=True,
        )
        for words in scene.wrong[:10]:
            print(f"    {words}")
        bad += bool(scene.wrong)
    return bad


if __name__ == "__main__":
    os.environ.update(SEALED)
    given = sys.argv[1:]
    count = int(given.pop(0)) if given and given[0].isdigit() else 64
    sys.exit(min(main(count, given), 1))
