"""Runs what is compared by turns, so that both sides meet the same machine.

A machine that others use is fast now and slow a second later; only what was measured next to each other
can be divided. Who begins is drawn by lot each time.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Mapping
from typing import NamedTuple

from bench.side_by_side.values import Point

Turn = Callable[[int], float]
"""Does the n-th turn of one side, and says what it took; what has to be made ready does not count."""


class Pair(NamedTuple):
    """Medians of both sides, and of the ratios of their turns."""

    value: float
    other: float
    ratio: float


def paired(subject: Turn, other: Turn, rounds: int) -> Pair:
    """So many turns of each; one more before them warms up."""
    found = _by_turns({0: subject, 1: other}, rounds)
    ratios = [a / b for a, b in zip(found[0], found[1], strict=True)]
    return Pair(statistics.median(found[0]), statistics.median(found[1]), statistics.median(ratios))


def series(turns: Mapping[int, Turn], rounds: int) -> tuple[Point, ...]:
    """One point for each, against the first of them."""
    found = _by_turns(turns, rounds)
    first = found[next(iter(turns))]
    return tuple(
        Point(
            at,
            statistics.median(found[at]),
            statistics.median(a / b for a, b in zip(found[at], first, strict=True)),
        )
        for at in turns
    )


def _by_turns(turns: Mapping[int, Turn], rounds: int) -> dict[int, list[float]]:
    found: dict[int, list[float]] = {name: [] for name in turns}
    for number in range(rounds + 1):
        order = list(turns)
        random.shuffle(order)
        for name in order:
            took = turns[name](number)
            if number:
                found[name].append(took)
    return found
