"""Each test gets its own copy of a repository that is made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sandbox import Sandbox
from tests.states.branch_commands import copy_repository, make_repository

_ORIGINALS: list[Sandbox] = []


@pytest.fixture
def fresh(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    """Return a copy of the repository of :mod:`tests.states.branch_commands`."""
    if not _ORIGINALS:  # a session fixture would run before the environment is sealed
        _ORIGINALS.append(make_repository(tmp_path_factory.mktemp("states") / "original"))
    return copy_repository(_ORIGINALS[0], tmp_path / "repo")
