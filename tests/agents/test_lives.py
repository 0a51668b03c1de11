"""A sample of what ``python -m tests.agents`` goes through for an hour."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.lives import live


@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_happens_that_the_log_does_not_tell(tmp_path: Path, seed: int) -> None:
    told = live(tmp_path, seed, 40)
    assert told.steps > 20
    assert told.undone == told.steps
