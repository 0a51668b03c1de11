"""An undo that skips a newer step of an agent names that step."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox


def _edit(repo: Sandbox, old: str, new: str, agent: str = "") -> str:
    env = {"SCALPEL_AGENT": agent} if agent else {}
    return str(scalpel(repo.root, "text", "a.py", "--old", old, "--new", new, "--json", env=env).data["tx"])


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_undo_names_a_newer_step_of_an_agent(tmp_path: Path, more: tuple[str, ...]) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"x = 1\n\n\n\ny = 1\n"})
    _edit(repo, "x = 1", "x = 2")
    newer = _edit(repo, "y = 1", "y = 2", agent="porter")
    answer = scalpel(repo.root, "undo", *more)
    assert f"{newer} by Ada <ada@example.org> (porter) is newer and stays" in answer.err
    assert f"git scalpel undo {newer}" in answer.err
    assert "(porter)" in scalpel(repo.root, "log").out
    assert "is newer" not in scalpel(repo.root, "undo", newer, *more).err
