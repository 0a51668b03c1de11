"""A sample of the roads to the same tree; ``python -m tests.roads`` goes all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.roads.goal import Goal
from tests.roads.goals import GOALS
from tests.roads.ways import ROADS, faults

_EVERY = 24
SAMPLE = [
    (goal, name)
    for row, goal in enumerate(GOALS)
    for column, name in enumerate(ROADS)
    if (5 * row + column) % _EVERY == 0
]


@pytest.mark.parametrize(("goal", "road"), SAMPLE, ids=[f"{goal.gate} by {name}" for goal, name in SAMPLE])
def test_one_verdict(tmp_path: Path, goal: Goal, road: str) -> None:
    assert list(faults(tmp_path, goal, road)) == []


def test_every_road_and_every_goal_is_in_the_sample() -> None:
    assert {name for _, name in SAMPLE} == set(ROADS)
    assert {goal.name for goal, _ in SAMPLE} == {goal.name for goal in GOALS}
