"""A sample of ``python -m bench.agents``: nothing is lost by either way that an agent is told has landed."""

from __future__ import annotations

from bench.agents import measure
from bench.repos import sealed


def test_nothing_is_lost() -> None:
    with sealed() as folder:
        ended = [*measure(folder, agents=3, edits=4)]
    assert [(each.landed, each.refused, each.lost) for each in ended] == [(12, 0, 0), (12, 0, 0)]
