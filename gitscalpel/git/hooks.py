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
    from gitscalpel.git import shim  # most repositories have no hook

    found = blake2b(digest_size=16)
    for hook in (file for each in hooks for file in (each, shim.earlier(each))):
        content = hook.read_bytes() if os.access(hook, os.R_OK) else b""
        found.update(b"%s\0%d\0%s" % (os.fsencode(hook), len(content), content))
    return found.hexdigest()


def active(hooks: Path, names: Iterable[str]) -> list[Path]:
    """Those of the hooks that git would run, and that have something to say which is not ours."""
    found = (hooks / name for name in names)
    return [hook for hook in found if _runs(hook) and not _says_nothing(hook)]


def _runs(hook: Path) -> bool:
    return hook.is_file() and os.access(hook, os.X_OK)


def _says_nothing(hook: Path) -> bool:
    """Whether it is a hook of ours with none before it: what it asks a landing has asked."""
    from gitscalpel.git import shim

    if hook.name not in AT_COMMIT or not os.access(hook, os.R_OK) or not shim.is_ours(hook):
        return False
    return shim.is_untouched(hook) and not _runs(shim.earlier(hook))
