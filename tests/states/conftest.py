"""Every test gets its own copy of one repository that is made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sandbox import Sandbox
from tests.states.round import copied, template

_MADE: list[Sandbox] = []


@pytest.fixture
def fresh(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    """The repository of :mod:`tests.states.round`."""
    if not _MADE:  # not a fixture of its own: it would be made before the environment is sealed
        _MADE.append(template(tmp_path_factory.mktemp("states") / "original"))
    return copied(_MADE[0], tmp_path / "repo")
