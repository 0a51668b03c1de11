"""A daily sample of one third of ``python -m tests.edit.every_gap``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.edit.every_gap import Gaps
from tests.edit.every_shape import shapes_by_language


@pytest.mark.parametrize(
    ("name", "file"),
    [pytest.param(*shape, id=shape[0]) for found in shapes_by_language().values() for shape in found],
)
def test_insert_and_delete_restore_the_text(name: str, file: Path) -> None:
    gaps = Gaps(name, file.read_bytes(), today=True)
    assert gaps.unexpected_failures == {}
    assert gaps.works or name == "shapes.properties"
