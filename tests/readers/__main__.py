"""``python -m tests.readers``: judges beside the languages' own readers, for as long as one likes."""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict

from tests.readers.judging import KNOWN, Found, compare
from tests.readers.own import READERS

_AT_ONCE = 200
_SHOWN = 5


def main() -> None:
    """Ask each reader in turn until the time is over, and say what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.readers")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="the names of readers, with commas")
    asked = parser.parse_args()
    readers = [
        each for each in READERS if each.there and (not asked.only or each.name in asked.only.split(","))
    ]
    for each in READERS:
        if not each.there:
            print(f"{each.name} is not on this machine")
    end, seed = time.monotonic() + 60 * asked.minutes, asked.seed
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    shown: Counter[tuple[str, str]] = Counter()
    while time.monotonic() < end:
        seed += 1
        for reader in readers:
            told = compare(reader, seed, _AT_ONCE)
            counts[reader.name] += told.counts
            for found in told.found:
                counts[reader.name][found.how] += 1
                if found.how != KNOWN:
                    _show(found, shown)
    for name, count in counts.items():
        print(
            f"{name:8}",
            " ".join(f"{how} {count[how]:7}" for how in ("taken", "refused", "hidden", "silent", "known")),
        )


def _show(found: Found, shown: Counter[tuple[str, str]]) -> None:
    shown[found.how, found.reader] += 1
    if shown[found.how, found.reader] <= _SHOWN:
        print(found.how, found.reader, found.program, flush=True)


if __name__ == "__main__":
    main()
