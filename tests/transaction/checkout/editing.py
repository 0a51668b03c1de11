"""Helpers that edit the checkout through the command line and check that git's state is unchanged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.command import Answer, scalpel
from tests.sandbox import Sandbox

TWO = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"


def git_state(repo: Sandbox) -> tuple[str, str, bytes]:
    """Return HEAD and its target, all branches and tags, and the content of the index."""
    folder = Path(repo.git("rev-parse", "--absolute-git-dir"))
    index = folder / "index"
    heads = repo.git("for-each-ref", "refs/heads", "refs/tags") + (folder / "HEAD").read_text()
    return heads, repo.git("ls-files", "-s", "-v"), index.read_bytes() if index.exists() else b""


def edit(repo: Sandbox, *ops: dict[str, Any], onto: str = "@checkout", **more: Any) -> Answer:
    """Send a changeset to the checkout, and assert that HEAD, branches and index do not move."""
    before = git_state(repo)
    request = json.dumps({"ops": ops, "onto": onto, **more})
    answer = scalpel(repo.root, "apply", "--json", stdin=request)
    assert git_state(repo) == before
    return answer


def text_op(path: str, old: str, new: str) -> dict[str, Any]:
    """Return an operation that replaces text."""
    return {"op": "text", "path": path, "old": old, "new": new}


def return_op(path: str, name: str, value: int) -> dict[str, Any]:
    """Return an operation that makes a function return a value."""
    return {"op": "replace", "path": path, "symbol": name, "code": f"def {name}():\n    return {value}\n"}
