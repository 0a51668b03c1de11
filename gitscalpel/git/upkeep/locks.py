"""Finds lock files that nobody seems to hold any more; only git itself can know for certain."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from gitscalpel.git.repository import Repository

_OLD = 60
"""Seconds for which git may well hold one."""
_OURS = b"git-scalpel "
"""What our own lock of an index begins with."""


def stray(repo: Repository) -> Iterator[tuple[Path, str | None]]:
    """Lock files older than a minute, each with its owner, if that was one of us."""
    common = repo.common_dir
    folders = [common, *(common / "worktrees").glob("*")]
    files = [file for folder in folders for file in folder.glob("*.lock")]
    files += [*(common / "refs").rglob("*.lock"), *(common / "objects").glob("*.lock"), common / "gc.pid"]
    now = time.time()
    for file in sorted(files):
        try:
            if now - file.stat().st_mtime > _OLD and file.name != "scalpel.lock":
                yield file, "of a git scalpel" if file.read_bytes().startswith(_OURS) else None
        except OSError:
            continue  # it was in use, after all
