"""Many orders of many scenarios: what is wrong after each, and a table of what the commands were told.

``python -m tests.schedules --orders 20000 --jobs 2`` takes an hour or two; they are dealt to the scenarios in
turn. ``--scenario NAME --seed N --orders 1 --trace`` plays one again and shows each step; ``--twice`` plays
each order twice and says which went another way.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator

from tests.schedules import playing
from tests.schedules.scenarios import BY_NAME, EVERY
from tests.schedules.worker import Asked, Played

_DEEP = 10
"""Of so many orders, one is followed by git's fsck and the tool's."""


def main() -> int:
    """Play what the command line asks for; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.schedules", description=__doc__)
    parser.add_argument("--orders", type=int, default=300, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="K", help="number of the first order")
    parser.add_argument("--scenario", action="append", choices=[*BY_NAME])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=0, help="end after so long")
    parser.add_argument("--trace", action="store_true", help="show each step")
    parser.add_argument("--twice", action="store_true", help="play each order twice")
    given = parser.parse_args()
    reason = playing.why_not()
    if reason:
        sys.exit(reason)
    began = time.monotonic()
    found: list[Played] = []
    for each in playing.every(_asked(given, began), given.jobs):
        found.append(each)
        for words in each.trace:
            print(words)
        for words in each.wrong:
            print(f"--scenario '{each.scenario}' --seed {each.number}: {words}", flush=True)
    took = time.monotonic() - began
    print(f"\n{table(found)}\n\n{len(found)} orders, {took:.0f} s")
    if given.twice:
        other = _other(found)
        print(f"{len(other)} of {len(found) // 2} went another way the second time", *other, sep="\n")
    return int(any(each.wrong for each in found))


def _asked(given: argparse.Namespace, began: float) -> Iterator[Asked]:
    """One order of each scenario, then the next of each."""
    names = given.scenario or [scenario.name for scenario in EVERY]
    for at in range(given.orders):
        if given.minutes and time.monotonic() - began > 60 * given.minutes:
            return
        number = given.seed + at // len(names)
        for _ in range(1 + given.twice):
            yield Asked(names[at % len(names)], number, number % _DEEP == 0, given.trace)


def _other(found: list[Played]) -> list[str]:
    """Which of the orders that were played twice did not go the same way."""
    ways: dict[tuple[str, int], set[str]] = {}
    for each in found:
        ways.setdefault((each.scenario, each.number), set()).add(f"{each.digest} {each.codes}")
    return [f"--scenario '{name}' --seed {number}" for (name, number), each in ways.items() if len(each) > 1]


def table(found: list[Played]) -> str:
    """Each scenario: orders, those after which something was wrong, steps of one, and who was told what."""
    lines = ["scenario | orders | wrong | steps | switches | robbed | told"]
    for name in dict.fromkeys(each.scenario for each in found):
        own = [each for each in found if each.scenario == name]
        count = len(own)
        told = Counter(f"{at}: {code}" for each in own for at, code in enumerate(each.codes) if code)
        steps = sum(each.steps for each in own) // count
        switches = sum(each.switches for each in own) // count
        robbed = sum(each.robbed for each in own)
        words = ", ".join(f"{what} ({times})" for what, times in sorted(told.items()))
        wrong = sum(bool(each.wrong) for each in own)
        lines.append(f"{name} | {count} | {wrong} | {steps} | {switches} | {robbed or ''} | {words}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
