"""A sample of the full run (``python -m tests.edit.every_gap``), every day another third of the symbols."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.edit.every_gap import Gaps
from tests.edit.every_shape import shapes


@pytest.mark.parametrize(
    ("name", "file"), [pytest.param(*shape, id=shape[0]) for found in shapes().values() for shape in found]
)
def test_what_comes_goes(name: str, file: Path) -> None:
    gaps = Gaps(name, file.read_bytes(), today=True)
    assert gaps.opened == {}
    assert gaps.works or name == "shapes.properties"
