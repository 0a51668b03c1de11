"""Edits of the checkout, through the command line; what must stand still does, each time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.command import Answer, scalpel
from tests.sandbox import Sandbox

TWO = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"


def still(repo: Sandbox) -> tuple[str, str, bytes]:
    """HEAD and where it leads, all branches, and the bytes of the index."""
    folder = Path(repo.git("rev-parse", "--absolute-git-dir"))
    index = folder / "index"
    heads = repo.git("for-each-ref", "refs/heads", "refs/tags") + (folder / "HEAD").read_text()
    return heads, repo.git("ls-files", "-s", "-v"), index.read_bytes() if index.exists() else b""


def edit(repo: Sandbox, *ops: dict[str, Any], onto: str = "@checkout", **more: Any) -> Answer:
    """A changeset for the checkout: neither HEAD nor a branch nor the index moves."""
    before = still(repo)
    sent = json.dumps({"ops": ops, "onto": onto, **more})
    answer = scalpel(repo.root, "apply", "--json", stdin=sent)
    assert still(repo) == before
    return answer


def text(path: str, old: str, new: str) -> dict[str, Any]:
    """An operation."""
    return {"op": "text", "path": path, "old": old, "new": new}


def function(path: str, name: str, value: int) -> dict[str, Any]:
    """An operation that has a function return something."""
    return {"op": "replace", "path": path, "symbol": name, "code": f"def {name}():\n    return {value}\n"}
