"""A server notices what an installer does, to us and to what we need."""

from __future__ import annotations

import site
from pathlib import Path

import pytest

from gitscalpel.server import preload


def test_a_package_that_is_put_beside_ours_is_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(site, "getsitepackages", lambda: [str(tmp_path)])
    monkeypatch.setattr(preload, "WATCHED_PATHS", preload.list_watched_paths())
    before = preload.look()
    assert preload.look() == before
    (tmp_path / "msgspec-9.9.dist-info").mkdir()
    assert preload.look() != before
