"""Fixtures of the server tests. Tests that read /proc run on Linux only."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.server.serving import CLIENTS, ServerHarness, is_compiled, run_harness

_LINUX_MODULES = [f"test_{name}.py" for name in ("served_calls", "interrupts", "unserved_calls")]
collect_ignore = [] if sys.platform == "linux" else _LINUX_MODULES


@pytest.fixture(params=CLIENTS)
def client(request: pytest.FixtureRequest) -> str:
    """Return each client in turn. ``any_client`` of :mod:`tests.server.serving` selects one."""
    if request.param == "any":
        return "compiled" if is_compiled() else "python"
    if request.param == "compiled" and not is_compiled():
        pytest.skip("the client is not compiled: no C compiler was there when this was installed")
    return str(request.param)


@pytest.fixture
def server(client: str) -> Iterator[ServerHarness]:
    """Yield callers and a listening server."""
    with run_harness(client) as running:
        running.start_forked()
        yield running


@pytest.fixture
def harness(client: str) -> Iterator[ServerHarness]:
    """Yield callers without a server."""
    with run_harness(client) as running:
        yield running
