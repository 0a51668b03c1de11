"""A sample of what ``python -m tests.loss`` goes through for an hour."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.loss.life import live


@pytest.mark.parametrize("seed", [1, 2])
def test_no_file_gets_lost(tmp_path: Path, seed: int) -> None:
    assert sum(live(tmp_path, seed, 12).values()) > 6
