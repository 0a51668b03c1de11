"""Edits of every kind in every language, made at random: what became of them, and what they refute.

``python -m tests.generator --edits 10000`` takes hours; ``--minutes`` ends it before. A run is the same for
the same seed.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from pathlib import Path

from tests.generator.case import reproducer
from tests.generator.fixtures import NAMES
from tests.generator.known import known
from tests.generator.plain_kinds import KINDS
from tests.generator.running import Run, run


def main() -> int:
    """Run what the command line asks for; 1 if something was found that is not known."""
    parser = argparse.ArgumentParser(prog="python -m tests.generator", description=__doc__)
    parser.add_argument("--language", default="", metavar="L,L", help=", ".join(NAMES))
    parser.add_argument("--kind", default="", metavar="K,K", help=", ".join(KINDS))
    parser.add_argument("--edits", type=int, default=100, metavar="N", help="of each kind in each language")
    parser.add_argument("--seed", type=int, default=None, metavar="S")
    parser.add_argument("--minutes", type=float, default=60.0, metavar="M", help="at most")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the findings go, one to a line")
    given = parser.parse_args()
    languages, kinds = (list(filter(None, names.split(","))) for names in (given.language, given.kind))
    for name in [n for n in languages if n not in NAMES] + [k for k in kinds if k not in KINDS]:
        parser.error(f"there is no {name}")
    seed = random.SystemRandom().randrange(10**6) if given.seed is None else given.seed
    began = time.monotonic()

    def keep(done: Run) -> None:
        if given.json:
            given.json.write_text("".join(lines(done)), "utf-8")

    done = run(seed, given.edits, languages, kinds, given.minutes, keep)
    new = report(done)
    print(f"\n{done.table()}\n")
    took = time.monotonic() - began
    speed = f"{done.edits} edits in {took:.0f} s, {done.edits / took:.0f} a second"
    print(f"{speed}, seed {seed}; slowest {done.slowest}")
    return int(new > 0)


def report(done: Run) -> int:
    """Print every finding; how many are not known."""
    new = 0
    for key, finding in sorted(done.findings.items(), key=lambda item: (item[0][2:], item[0])):
        is_known = known(finding)
        new += not is_known
        print(f"{' '.join(key[:2])}, {done.counts[key]} times{', known' if is_known else ''}")
        print(reproducer(finding.case, finding.violation) + "\n")
    return new


def lines(done: Run) -> list[str]:
    """The findings as ``known.jsonl`` has them, but for the reason."""
    rows = []
    for key, finding in sorted(done.findings.items()):
        row = {"why": "", "language": key[0], "oracle": key[2], "words": key[3], "times": done.counts[key]}
        rows.append(
            json.dumps({**row, **finding.case.dump(), "shown": finding.violation.shown}, ensure_ascii=False)
        )
    return [row + "\n" for row in rows]


if __name__ == "__main__":
    sys.exit(main())
