"""Whole transactions as tests write them: staged, landed, undone and redone in a real repository."""

from __future__ import annotations

from typing import Any

from gitscalpel import history, shadow, transaction
from gitscalpel.requests import Request, parse_operations
from gitscalpel.shadow import Staged
from gitscalpel.workspace import Workspace
from tests.sandbox import Sandbox


def text(old: str, new: str, path: str = "a.py") -> dict[str, Any]:
    return {"op": "text", "path": path, "old": old, "new": new}


def stage(repo: Sandbox, *ops: dict[str, Any], **more: Any) -> Staged:
    onto = more.pop("onto", None)
    with Workspace(repo.root, long_lived=repo.long_lived) as ws:
        dry_run = more.pop("dry_run", False)
        request = Request(operations=parse_operations(list(ops)), **more)
        return transaction.stage(ws, request, ws.target(onto), dry_run=dry_run)


def land(repo: Sandbox, *ops: dict[str, Any], **more: Any) -> Staged:
    staged = stage(repo, *ops, **more)
    return land_staged(repo, str(staged.id))


def land_staged(repo: Sandbox, tx: str) -> Staged:
    with Workspace(repo.root, long_lived=repo.long_lived) as ws:
        return transaction.land(ws, shadow.load(ws, tx))


def undo(repo: Sandbox, tx: str | None = None, onto: str | None = None) -> history.Step:
    with Workspace(repo.root, long_lived=repo.long_lived) as ws:
        return history.undo(ws, onto, tx)


def redo(repo: Sandbox, onto: str | None = None) -> history.Step:
    with Workspace(repo.root, long_lived=repo.long_lived) as ws:
        return history.redo(ws, onto)
