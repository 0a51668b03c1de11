"""Plays orders as it is told, line by line, and says what came of each; it runs under the library.

A line names a scenario, the number of an order, and whether to look deep afterwards; so does the answer.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from tests import forking
from tests.schedules import judge, orders
from tests.schedules.scenarios import BY_NAME
from tests.schedules.stage import Stage


class Asked(NamedTuple):
    """An order to be played.

    Attributes:
        scenario, number: which.
        deep: git and the tool look for damage afterwards.
        trace: every step is told.
    """

    scenario: str
    number: int
    deep: bool = False
    trace: bool = False


class Played(NamedTuple):
    """What came of it.

    Attributes:
        scenario, number: of which order.
        codes: what each command was told.
        steps, switches, robbed: see :class:`tests.schedules.orders.Passed`.
        digest: of all steps: two runs with the same went the same way.
        seconds: that it took, and was judged.
        wrong: what is not as it should be.
        trace: every step, if that was asked for.
    """

    scenario: str
    number: int
    codes: tuple[str, ...]
    steps: int
    switches: int
    robbed: int
    digest: str
    seconds: float
    wrong: tuple[str, ...]
    trace: tuple[str, ...] = ()


def played(stage: Stage, asked: Asked) -> Played:
    """Play one order."""
    began = time.perf_counter()
    order = orders.drawn(asked.scenario, asked.number, len(stage.commands))
    ended, passed = stage.play(order)
    bad = judge.wrong(stage, ended, asked.deep)
    return Played(
        asked.scenario,
        asked.number,
        tuple(each.code for each in ended),
        *passed[:3],
        passed.digest,
        time.perf_counter() - began,
        tuple(bad),
        tuple(passed.told()) if asked.trace else (),
    )


def main(folder: str) -> None:
    """Answer until nobody asks any more."""
    forking.import_all()
    stages: dict[str, Stage] = {}
    for line in sys.stdin:
        given: list[Any] = json.loads(line)
        asked = Asked(*given)
        if asked.scenario not in stages:
            place = Path(folder) / asked.scenario.replace(" ", "-")
            stages[asked.scenario] = Stage(place, BY_NAME[asked.scenario])
        sys.stdout.write(json.dumps(played(stages[asked.scenario], asked)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
