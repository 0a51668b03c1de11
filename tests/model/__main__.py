"""``python -m tests.model``: random lives of a repository against the model, and how often what was done."""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.model.life import COUNTS
from tests.model.machine import Machine
from tests.sandbox import SEALED


def lives(count: int, steps: int, number: int) -> Counter[tuple[str, str]]:
    """Live ``count`` of them; ``number`` is the seed."""
    home = tempfile.mkdtemp(prefix="model-home-")
    os.environ.update(SEALED, HOME=home, XDG_CACHE_HOME=home, XDG_STATE_HOME=home, XDG_CONFIG_HOME=home)
    run_state_machine_as_test(
        seed(number)(Machine),
        settings=settings(
            max_examples=count,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            print_blob=True,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        ),
    )
    return COUNTS


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.model", description=__doc__)
    parser.add_argument("--lives", type=int, default=1_000)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    began = time.monotonic()
    counts: Counter[tuple[str, str]] = Counter()
    share = -(-given.lives // given.jobs)
    with ProcessPoolExecutor(given.jobs) as pool:
        numbers = range(given.seed, given.seed + given.jobs)
        for each in pool.map(lives, [share] * given.jobs, [given.steps] * given.jobs, numbers):
            counts.update(each)
    for (what, how), count in sorted(counts.items()):
        print(f"{what:<18} {how:<21} {count:>7}")
    print(f"{counts.total()} steps, {time.monotonic() - began:.0f} s, no difference from the model")


if __name__ == "__main__":
    main()
