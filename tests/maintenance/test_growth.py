"""A sample of what ``python -m bench.growth`` measures at length: nothing grows but history itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.growth import measure
from gitscalpel.workspace import pruning


def test_many_transactions_leave_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "MAX_LOOSE_OBJECTS", 256)
    grown = measure(tmp_path, 60)
    assert (grown.refs, grown.kept, grown.journal, grown.sound) == (1, 0, False, "")
    assert grown.most_loose < 700
    assert grown.packs < 36
    assert grown.bytes_each < 3_000
