"""A sample of what ``python -m tests.agents`` goes through for an hour."""

from __future__ import annotations

from pathlib import Path

from tests.agents.lives import live


def test_nothing_happens_that_the_log_does_not_tell(tmp_path: Path) -> None:
    told = live(tmp_path, 1, 24)
    assert told.steps > 12
    assert told.undone == told.steps
