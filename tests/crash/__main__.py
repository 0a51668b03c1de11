"""The full run: every scenario, struck in every way at every K-th of its calls; a table of what came out.

``python -m tests.crash --every 5 --jobs 2``; ``--scenario NAME`` takes some (more than one may be given).
"""

from __future__ import annotations

import argparse
import sys
import time

from tests.crash import runs
from tests.crash.points import Point
from tests.crash.scenarios import GIT, OURS
from tests.preload import building


def main() -> int:
    """Run what the command line asks for; 1 if anything of ours did not heal."""
    names = [each.name for each in (*OURS, *GIT)]
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("--scenario", action="append", choices=names)
    parser.add_argument("--kind", action="append", choices=runs.EVERY_KIND)
    parser.add_argument("--every", type=int, default=1, metavar="K")
    parser.add_argument("--first", type=int, default=1, metavar="N")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    reason = building.why_not()
    if reason:
        sys.exit(reason)
    began = time.monotonic()
    found: list[Point] = []
    kinds = given.kind or runs.EVERY_KIND
    for point in runs.every(given.scenario or names, kinds, given.every, given.first, given.jobs):
        found.append(point)
        for words in point.wrong:
            print(f"{point.scenario}, {point.kind} at {point.at}, {point.how}: {words}", flush=True)
    print(f"\n{runs.table(found)}\n\n{time.monotonic() - began:.0f} s")
    ours = [each.name for each in OURS]
    return int(any(point.wrong for point in found if point.scenario in ours))


if __name__ == "__main__":
    sys.exit(main())
