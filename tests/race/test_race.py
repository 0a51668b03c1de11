"""A sample of the race: what was acknowledged is there, once, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.race.scenes import SCENES
from tests.sandbox import Sandbox

WRITERS = {
    "one file": 8,
    "different branches": 4,
    "one place": 6,
    "one function, one winner": 6,
    "transactions": 4,
    "processes that stay": 8,
    "commits by hand meanwhile": 4,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_edit_that_was_acknowledged_is_there_once(tmp_path: Path, name: str) -> None:
    scene = SCENES[name](Sandbox.init(tmp_path / "repo"), WRITERS[name])
    assert len(scene.told) >= WRITERS[name]
    assert scene.wrong == []
