"""The full run: what a power cut may leave of every scenario, and whether that heals; as a table.

``python -m tests.power --every 5 --jobs 2``; ``--scenario NAME`` takes some (more than one may be given).
"""

from __future__ import annotations

import argparse
import sys
import time

from tests.crash.scenarios import GIT, OURS
from tests.power import runs
from tests.power.points import Sample
from tests.preload import building


def main() -> int:
    """Run what the command line asks for; 1 if anything of ours did not heal."""
    names = [each.name for each in (*OURS, *GIT)]
    parser = argparse.ArgumentParser(prog="python -m tests.power", description=__doc__)
    parser.add_argument("--scenario", action="append", choices=names)
    parser.add_argument("--kind", action="append", choices=runs.KINDS)
    parser.add_argument("--every", type=int, default=1, metavar="K", help="only every K-th point")
    parser.add_argument(
        "--states", type=int, default=6, metavar="N", help="at each point; 5 N at the last one"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--without", default="", metavar="GLOB", help="as if these were never synced")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--reasons", type=int, default=40, metavar="N", help="how many to print")
    given = parser.parse_args()
    reason = building.why_not()
    if reason:
        sys.exit(reason)
    began = time.monotonic()
    sample = Sample(given.every, given.states, given.seed, given.without)
    asked = [runs.Asked(name, given.kind or runs.KINDS, sample) for name in given.scenario or names]
    found = list(runs.every(asked, given.jobs))
    print(f"{runs.reasons(found, given.reasons)}\n\n{runs.table(found)}\n\n{time.monotonic() - began:.0f} s")
    ours = [each.name for each in OURS]
    return int(any(point.wrong for point in found if point.scenario in ours))


if __name__ == "__main__":
    sys.exit(main())
