"""Fixture of one repository for all tests that must not change it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hostile.grounds import Grounds, make_grounds

_MADE: list[tuple[Grounds, dict[str, object]]] = []
"""The grounds and their fingerprint after the previous test."""


@pytest.fixture
def shared_grounds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grounds]:
    """Return the shared grounds, and fail if the test changed them."""
    if not _MADE:
        shared = make_grounds(tmp_path_factory.mktemp("hostile") / "around")
        _MADE.append((shared, shared.fingerprint()))
    shared, before = _MADE[0]
    yield shared
    if shared.fingerprint() != before:
        _MADE.clear()
        pytest.fail("something has changed")
