"""Files in the checkout that are none of its repository's: ignored ones, and those of repositories in it.

Whoever edits such a file with a tool of their own is not held to what is judged here.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from gitscalpel.git.repository import Repository
from gitscalpel.git.run import listing

_GIT = ".git"


def is_apart(repo: Repository, path: str) -> bool:
    """Whether a file, by its place below the root, is ignored or in a repository of its own.

    What lies in a git directory is neither: nobody is to write there.
    """
    if repo.work_tree is None or _GIT in path.lower().split("/"):
        return False
    folders = list(PurePosixPath(path).parents)[:-1]
    if any(os.path.lexists(Path(repo.work_tree, folder, _GIT)) for folder in folders):
        return True
    return repo.git.run("check-ignore", "-z", "--stdin", stdin=listing([path])).status == 0
