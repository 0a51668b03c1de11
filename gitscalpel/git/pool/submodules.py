"""Submodules of a worktree in which programs judge: one that is not what the tree says is made anew.

Bringing a worktree to another tree leaves what is checked out in a submodule, as git does. Where that is
another commit, or something was left in it, programs would judge what does not land.
"""

from __future__ import annotations

import os
from pathlib import Path

from gitscalpel.changesets.file_tree import SUBMODULE
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.system import private_files
from gitscalpel.system.failpoint import step


def clear(worktree: Worktree) -> None:
    """Empty those that are not as the index says; what has made the worktree ready has to do so again."""
    if not (worktree.root / ".gitmodules").exists():
        return  # looking into them costs something
    stale = _stale(worktree)
    if stale:
        worktree.set_up("")
    for folder in stale:
        step()
        private_files.remove(folder)
        folder.mkdir()


def _stale(worktree: Worktree) -> list[Path]:
    # Whatever .gitmodules and the configuration say of looking at them.
    rows = worktree.repo.git("diff-files", "--raw", "-z", "--ignore-submodules=none").split(b"\0")
    pairs = zip(rows[::2], rows[1::2], strict=False)
    modes = f":{SUBMODULE} {SUBMODULE} ".encode()
    return [worktree.root / os.fsdecode(name) for row, name in pairs if row.startswith(modes)]
