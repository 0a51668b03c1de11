"""The same grounds for everything that nobody lets change them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hostile.grounds import Grounds, grounds

_MADE: list[tuple[Grounds, dict[str, object]]] = []
"""Them, and what they looked like after the test before."""


@pytest.fixture
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grounds]:
    """The grounds, the same for all tests: nobody may change them."""
    if not _MADE:
        made = grounds(tmp_path_factory.mktemp("hostile") / "around")
        _MADE.append((made, made.fingerprint()))
    made, before = _MADE[0]
    yield made
    if made.fingerprint() != before:
        _MADE.clear()
        pytest.fail("something has changed")
