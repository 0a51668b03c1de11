"""Lives of checkouts in which no file may get lost: ``python -m tests.loss --minutes 60``.

``--seed N --lives 1`` lives one of them again, up to where kills at a random moment come out otherwise.
"""

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

from tests.loss.life import live
from tests.sandbox import SEALED


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--lives", type=int, default=10**6)
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))  # noqa: S311
    asked = parser.parse_args()
    os.environ.update(SEALED)
    end, counts, failed = time.monotonic() + 60 * asked.minutes, Counter[str](), 0
    seed = asked.seed
    for seed in range(asked.seed, asked.seed + asked.lives):
        if time.monotonic() > end:
            break
        folder = Path(tempfile.mkdtemp(prefix="loss-"))
        try:
            counts += live(folder, seed, asked.turns)
        except Exception as error:
            failed += 1
            print(f"seed {seed}: {type(error).__name__}: {error}", flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"seeds {asked.seed} to {seed}: {failed} failed; {sum(counts.values())} calls")
    for call, count in sorted(counts.items()):
        print(f"  {call}: {count}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
