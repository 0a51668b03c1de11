"""Run every command on forged records in ``.git``: ``python -m tests.hostile --minutes 60``."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.hostile import forged_records
from tests.sandbox import SEALED


def main() -> int:
    """Try cases until the time is over; return 1 if any failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)  # noqa: S311 - nothing secret
    done: Counter[str] = Counter()
    failures: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        around = Path(folder)
        names = ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")
        os.environ.update({**SEALED, **dict.fromkeys(names, str(around / "home"))})
        world = forged_records.make_world(around)
        backup = around / "kept"
        shutil.copytree(world.repo.root, backup, symlinks=True)
        until = time.monotonic() + 60 * options.minutes
        cases = forged_records.iter_cases(world, chance)
        while time.monotonic() < until:
            case = next(cases)
            forged_records.plant_record(world, case, chance)
            violations = forged_records.find_violations(world, case, forged_records.VERBS)
            done[case.name] += 1
            if violations:
                failures += violations
                print("\n".join(violations), flush=True)
            forged_records.restore(world, backup)
    for name, count in sorted(done.items()):
        print(f"{count:6}  {name}")
    print(f"{done.total()} cases, {done.total() * len(forged_records.VERBS)} calls, {len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
