"""The server notices changes of the installed packages."""

from __future__ import annotations

import site
from pathlib import Path

import pytest

from gitscalpel.server import child


def test_new_package_changes_the_installation(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(site, "getsitepackages", lambda: [str(tmp_path)])
    monkeypatch.setattr(child, "WATCHED_PATHS", child.list_watched_paths())
    before = child.read_installation()
    assert child.read_installation() == before
    (tmp_path / "msgspec-9.9.dist-info").mkdir()
    assert child.read_installation() != before
