"""A sample of the full run (``python -m tests.schedules``), every day others; and the schedule itself."""

from __future__ import annotations

import pytest

from tests.schedules import playing
from tests.schedules.scenarios import EVERY, LOST
from tests.schedules.worker import Asked, Played
from tests.today import DAY

REASON = playing.why_not()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))

EACH = 2
NAMES = [scenario.name for scenario in EVERY]
TODAY = [NAMES[(2 * DAY + turn * 11) % len(NAMES)] for turn in range(2)]


def played(*asked: Asked) -> list[Played]:
    return list(playing.every(asked, jobs=1))


def test_whatever_the_order_it_is_as_one_after_the_other() -> None:
    first = 1 + DAY * EACH
    found = played(*(Asked(name, first + at, deep=not at) for at in range(EACH) for name in TODAY))
    assert [each for each in found if each.wrong] == []
    assert len(found) == EACH * len(TODAY)
    assert all(each.steps > 20 for each in found)


def test_an_order_is_the_same_again() -> None:
    again = [Asked("2 on different files", number, trace=True) for number in (3, 4, 3, 4)]
    first, other, *repeated = played(*again)
    assert first.trace != other.trace
    assert [each.trace for each in repeated] == [first.trace, other.trace]
    assert [each.digest for each in repeated] == [first.digest, other.digest]


def test_two_that_take_no_care_lose_something_in_some_orders() -> None:
    """Both read a number and write the next one; where they come one after the other, it is right."""
    found = played(*(Asked(LOST.name, number) for number in range(1, 9)))
    lost = [each for each in found if each.wrong]
    assert 0 < len(lost) < len(found)
    assert all("no order gives this" in each.wrong[0] for each in lost)
