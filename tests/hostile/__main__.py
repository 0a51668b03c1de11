"""``python -m tests.hostile --minutes 60``: records as others may have made them, and every verb."""

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

from tests.hostile import brought
from tests.sandbox import SEALED


def main() -> int:
    """Try cases until the time is over; the exit status says whether anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance = random.Random(given.seed)  # noqa: S311 - nothing secret
    done: Counter[str] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        around = Path(folder)
        names = ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")
        os.environ.update({**SEALED, **dict.fromkeys(names, str(around / "home"))})
        made = brought.world(around)
        kept = around / "kept"
        shutil.copytree(made.repo.root, kept, symlinks=True)
        until = time.monotonic() + 60 * given.minutes
        cases = brought.cases(made, chance)
        while time.monotonic() < until:
            case = next(cases)
            brought.plant(made, case, chance)
            said = brought.wrong(made, case, brought.VERBS)
            done[case.name] += 1
            if said:
                wrong += said
                print("\n".join(said), flush=True)
            brought.restored(made, kept)
    for name, count in sorted(done.items()):
        print(f"{count:6}  {name}")
    print(f"{done.total()} cases, {done.total() * len(brought.VERBS)} calls, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
