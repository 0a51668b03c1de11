"""Where the user's hooks lie, and which of them are active."""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

AT_COMMIT = ("pre-commit", "commit-msg")
"""The hooks that ``git commit`` would run and a transaction runs as a gate."""
BY_GIT = (*AT_COMMIT, "reference-transaction", "post-index-change")
"""All that run: git itself runs the others when refs and index change."""
HOOKS_PATH = "core.hookspath"


def folder(configured: str | None, work_tree: Path | None, git_dir: Path, common_dir: Path) -> Path:
    """The hooks' folder; a relative ``core.hooksPath`` starts where hooks run, at the top of the files."""
    if not configured:
        return common_dir / "hooks"
    return (work_tree or git_dir) / os.path.expanduser(configured)  # noqa: PTH111  ~ need not be resolvable


def digest(hooks: Iterable[Path]) -> str:
    """What tells hooks from those that they are once somebody has changed them."""
    found = blake2b(digest_size=16)
    for hook in hooks:
        content = hook.read_bytes() if os.access(hook, os.R_OK) else b""
        found.update(b"%s\0%d\0%s" % (os.fsencode(hook), len(content), content))
    return found.hexdigest()


def active(hooks: Path, names: Iterable[str]) -> list[Path]:
    """Those of the hooks that git would run."""
    found = (hooks / name for name in names)
    return [hook for hook in found if hook.is_file() and os.access(hook, os.X_OK)]
