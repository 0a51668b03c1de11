"""What reads of a caller what only Linux tells is tested there."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.serve.serving import Served, served

collect_ignore = [] if sys.platform == "linux" else ["test_served.py", "test_ended.py", "test_refused.py"]


@pytest.fixture
def server() -> Iterator[Served]:
    """Callers and a server that listens."""
    with served() as one:
        one.start()
        yield one


@pytest.fixture
def nobody() -> Iterator[Served]:
    """Callers, and no server yet."""
    with served() as one:
        yield one
