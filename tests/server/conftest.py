"""What reads of a caller what only Linux tells is tested there."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.server.serving import CLIENTS, Served, is_compiled, served

_LINUX = [f"test_{what}.py" for what in ("served", "ended", "refused")]
collect_ignore = [] if sys.platform == "linux" else _LINUX


@pytest.fixture(params=CLIENTS)
def client(request: pytest.FixtureRequest) -> str:
    """Each way to call; ``any_client`` of :mod:`tests.server.serving` has one of them."""
    if request.param == "any":
        return "compiled" if is_compiled() else "python"
    if request.param == "compiled" and not is_compiled():
        pytest.skip("the client is not compiled: no C compiler was there when this was installed")
    return str(request.param)


@pytest.fixture
def server(client: str) -> Iterator[Served]:
    """Callers and a server that listens."""
    with served(client) as one:
        one.start_soon()
        yield one


@pytest.fixture
def nobody(client: str) -> Iterator[Served]:
    """Callers, and no server yet."""
    with served(client) as one:
        yield one
