"""The same grounds for everything that nobody lets change them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hostile.grounds import Grounds, grounds

_MADE: list[Grounds] = []


@pytest.fixture
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grounds]:
    """The grounds, the same for all tests: nobody may change them."""
    if not _MADE:
        _MADE.append(grounds(tmp_path_factory.mktemp("hostile") / "around"))
    before = _MADE[0].fingerprint()
    yield _MADE[0]
    if _MADE[0].fingerprint() != before:
        _MADE.clear()
        pytest.fail("something has changed")
