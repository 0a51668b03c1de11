"""A sample of the full run (``python -m tests.upgrade``), every day another step; and its judge."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.today import DAY
from tests.upgrade import lives

REVISION = lives.default_revision()
REASON = lives.why_not(REVISION)
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))

STEP = 1 + DAY // 2 % 10
"""Changing step before which a landing is killed; it has eleven or so."""


def test_another_version_goes_on_where_one_was_killed(tmp_path: Path) -> None:
    _, found = lives.play(tmp_path, REVISION, ("upgrade", "downgrade")[DAY % 2], STEP)
    assert found == []


@pytest.mark.skipif(sys.platform != "linux", reason="servers are found in /proc")
def test_a_running_server_is_replaced(tmp_path: Path) -> None:
    world = lives.World(tmp_path)
    world.install(REVISION)
    assert lives.judge_server(world, None) == []


def test_damage_is_seen(tmp_path: Path) -> None:
    world = lives.World(tmp_path)
    world.install(None)
    landed, opened, is_killed = lives.live(world, 4)
    assert is_killed
    assert world.problems() == []
    (world.repo.root / "a.py").write_text("def f():\n")
    assert [each for each in world.problems() if "neither" in each]
    world.repo.git("update-ref", "-d", f"refs/scalpel/tx/{opened}")
    assert any(each.startswith("list: ") for each in lives.judge_upgrade(world, landed, opened))
