"""``python -m tests.disk --minutes N``: lives on disks of every sort, how they went, and what was lost."""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

from tests.disk.life import lived
from tests.sandbox import SEALED
from tests.states.unprivileged import import_everything


def live(number: int) -> tuple[int, str]:
    return number, lived(number)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.disk", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    os.environ |= SEALED
    import_everything()
    began, counts, number, lost = time.monotonic(), Counter[str](), given.seed, 0
    with ProcessPoolExecutor(given.jobs) as pool:
        while time.monotonic() - began < 60 * given.minutes:
            for seed, said in pool.map(live, range(number, number + 20 * given.jobs)):
                fine = said.startswith(("landed", "refused"))
                counts[said if fine else "LOST"] += 1
                if not fine:
                    lost += 1
                    print(f"--- {seed}\n{said}", flush=True)
            number += 20 * given.jobs
    for said, count in sorted(counts.items()):
        print(f"{count:>7}  {said}")
    print(f"{counts.total()} lives, {time.monotonic() - began:.0f} s, {lost} in which something was lost")
    return 1 if lost else 0


if __name__ == "__main__":
    raise SystemExit(main())
