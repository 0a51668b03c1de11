"""A sample of the full measurement of ``python -m bench.growth``: only the history grows."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.growth import measure
from gitscalpel.workspace import pruning


def test_many_transactions_leave_few_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "MAX_LOOSE_OBJECTS", 256)
    growth = measure(tmp_path, 60)
    assert (growth.refs, growth.kept, growth.journal, growth.sound) == (1, 0, False, "")
    assert growth.most_loose < 700
    assert growth.packs < 36
    assert growth.bytes_each < 3_000
