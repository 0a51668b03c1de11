"""Undo after git itself has moved the branch."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitscalpel.errors import ScalpelError
from tests.sandbox import Content, Sandbox
from tests.whole import land, text, undo

A = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"
FILES: dict[str, Content] = {"a.py": A, "b.txt": b"one\ntwo\n", "d/c.txt": b"c\n"}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", FILES)


def test_undo_after_git_reset_is_reported(repo: Sandbox) -> None:
    land(repo, text("return 1", "return 3"))
    repo.git("reset", "-q", "--hard", "HEAD~1")
    with pytest.raises(ScalpelError) as caught:
        undo(repo)
    assert caught.value.code == "nothing_to_undo"
    assert "as they were before" in caught.value.message
