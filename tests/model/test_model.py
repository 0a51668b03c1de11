"""Fifteen random lives of thirty steps; a thousand of fifty: ``python -m tests.model``."""

from __future__ import annotations

from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.model.machine import COUNTS, Machine


def test_whatever_happens_it_is_as_the_model_says() -> None:
    COUNTS.clear()
    run_state_machine_as_test(Machine, settings=settings(max_examples=15, stateful_step_count=30))
    done = sum(count for (_, how), count in COUNTS.items() if how != "refused")
    refused = sum(count for (_, how), count in COUNTS.items() if how == "refused")
    assert done > 3 * refused
