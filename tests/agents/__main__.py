"""Many turns of agents and people in one checkout, from a seed: ``python -m tests.agents --steps 1000``.

After each of them the log accounts for all that the disk holds; at the end all of it is taken back, step by
step, and every state is the one that was there.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from pathlib import Path

from tests.agents.lives import live
from tests.sandbox import SEALED


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))  # noqa: S311
    asked = parser.parse_args()
    os.environ.update(SEALED)
    with tempfile.TemporaryDirectory() as folder:
        told = live(Path(folder), asked.seed, asked.steps)
    print(f"seed {asked.seed}: {told}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
