"""Which of the user's hooks git would run at a commit."""

from __future__ import annotations

import os
from pathlib import Path

from gitscalpel.git.repository import Repository

_AT_COMMIT = ("pre-commit", "commit-msg")


def unrun_hooks(repo: Repository) -> list[str]:
    """The active commit hooks that this version does not run, each said in words."""
    configured = repo.config.get("core.hookspath")
    root = repo.work_tree or repo.git_dir
    folder = root / Path(configured).expanduser() if configured else repo.common_dir / "hooks"
    active = [name for name in _AT_COMMIT if os.access(folder / name, os.X_OK) and (folder / name).is_file()]
    return [f"the {name} hook was not run: this version does not run commit hooks" for name in active]
