"""Found by use: undo after git itself has moved the branch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitscalpel import history, transaction
from gitscalpel.errors import ScalpelError
from gitscalpel.operations import parse_operations
from gitscalpel.transaction import Staged
from gitscalpel.workspace import Workspace
from tests.sandbox import Content, Sandbox

A = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"
FILES: dict[str, Content] = {"a.py": A, "b.txt": b"one\ntwo\n", "d/c.txt": b"c\n"}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox.init(tmp_path / "repo")
    sandbox.commit(FILES)
    return sandbox


def text(old: str, new: str, path: str = "a.py") -> dict[str, Any]:
    return {"op": "text", "path": path, "old": old, "new": new}


def stage(repo: Sandbox, *ops: dict[str, Any], **more: Any) -> Staged:
    onto = more.pop("onto", None)
    with Workspace(repo.root) as ws:
        return transaction.stage(ws, parse_operations(list(ops)), ws.target(onto), **more)


def land(repo: Sandbox, *ops: dict[str, Any], **more: Any) -> Staged:
    staged = stage(repo, *ops, **more)
    return land_staged(repo, str(staged.id))


def land_staged(repo: Sandbox, tx: str) -> Staged:
    with Workspace(repo.root) as ws:
        return transaction.land(ws, transaction.load(ws, tx))


def undo(repo: Sandbox, tx: str | None = None, onto: str | None = None) -> history.Step:
    with Workspace(repo.root) as ws:
        return history.undo(ws, onto, tx)


def test_undo_of_what_git_has_taken_back_says_so(repo: Sandbox) -> None:
    land(repo, text("return 1", "return 3"))
    repo.git("reset", "-q", "--hard", "HEAD~1")
    with pytest.raises(ScalpelError) as caught:
        undo(repo)
    assert caught.value.code == "nothing_to_undo"
    assert "as they were before" in caught.value.message
