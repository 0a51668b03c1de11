"""Two random lives of thirty steps; a thousand of fifty: ``python -m tests.model``."""

from __future__ import annotations

import pytest
from hypothesis import seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.model.life import COUNTS
from tests.model.machine import Machine


@pytest.mark.parametrize("number", range(2))
def test_whatever_happens_it_is_as_the_model_says(number: int) -> None:
    COUNTS.clear()
    few = settings(max_examples=1, stateful_step_count=30, database=None)
    run_state_machine_as_test(seed(number)(Machine), settings=few)
    done = sum(count for (_, how), count in COUNTS.items() if how != "refused")
    refused = sum(count for (_, how), count in COUNTS.items() if how == "refused")
    assert done > refused
