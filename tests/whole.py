"""Whole transactions for tests: staged, landed, undone and redone in a real repository."""

from __future__ import annotations

from typing import Any

from gitscalpel import Repository, Result, Step, changeset
from tests.sandbox import Sandbox


def text(old: str, new: str, path: str = "a.py") -> dict[str, Any]:
    return {"op": "text", "path": path, "old": old, "new": new}


def stage(
    repo: Sandbox, *ops: dict[str, Any], onto: str | None = None, dry_run: bool = False, **more: Any
) -> Result:
    with Repository(repo.root, long_lived=repo.long_lived) as opened:
        return opened.apply(changeset(*ops, **more), onto=onto, dry_run=dry_run, land=False)


def land(repo: Sandbox, *ops: dict[str, Any], **more: Any) -> Result:
    return land_staged(repo, str(stage(repo, *ops, **more).tx))


def land_staged(repo: Sandbox, tx: str) -> Result:
    with Repository(repo.root, long_lived=repo.long_lived) as opened:
        return opened.transaction(tx).land()


def undo(repo: Sandbox, tx: str | None = None, onto: str | None = None) -> Step:
    with Repository(repo.root, long_lived=repo.long_lived) as opened:
        return opened.undo(tx, onto=onto)


def redo(repo: Sandbox, onto: str | None = None) -> Step:
    with Repository(repo.root, long_lived=repo.long_lived) as opened:
        return opened.redo(onto=onto)
