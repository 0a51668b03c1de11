"""Ignored files that somebody who works in a worktree needs there as well, as ``.worktreeinclude`` says.

It holds patterns as in ``.gitignore``. Only who is handed a worktree gets them: no program that judges does.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gitscalpel.git.run import Git, paths

_NAME = ".worktreeinclude"
_MOST = 1_000


def copy(git: Git, root: Path, place: Path) -> None:
    """Copy what is not there yet.

    Args:
        git: that of the checkout.
        root: the checkout's folder.
        place: the worktree's.
    """
    for path in _wanted(git, root):
        source, target = root / path, place / path
        if source.is_symlink() or target.is_symlink() or target.exists():
            continue
        if not target.parent.resolve().is_relative_to(place.resolve()):
            continue  # the tree has a link there, which leads out
        with suppress(OSError):  # what cannot be had is missed by who needs it
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)


def _wanted(git: Git, root: Path) -> Iterator[str]:
    file = root / _NAME
    if not file.is_file():
        return
    import pathspec

    wanted = pathspec.GitIgnoreSpec.from_lines(file.read_text("utf-8", "replace").splitlines())
    words = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard")
    found = [path for path in paths(git(*words)) if wanted.match_file(path) and (root / path).is_file()]
    yield from found[:_MOST]
