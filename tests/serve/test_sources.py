"""A server notices what an installer does, to us and to what we need."""

from __future__ import annotations

import site
from pathlib import Path

import pytest

from gitscalpel.serve import sources


def test_a_package_that_is_put_beside_ours_is_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(site, "getsitepackages", lambda: [str(tmp_path)])
    monkeypatch.setattr(sources, "_LOOKED_AT", sources._looked_at())
    before = sources.look()
    assert sources.look() == before
    (tmp_path / "msgspec-9.9.dist-info").mkdir()
    assert sources.look() != before
