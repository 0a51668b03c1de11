"""Which new files a sparse checkout leaves out.

An entry that is in the index says so itself; a path that is new is decided by
patterns, in one of two languages. Git answers for it: it checks out empty
files of these names, in a folder of their own.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence

from gitscalpel.git.repository import Repository
from gitscalpel.git.run import paths
from gitscalpel.git.store import Store
from gitscalpel.snapshot import REGULAR, Change


def outside(repo: Repository, store: Store, names: Sequence[str]) -> frozenset[str]:
    """The paths of ``names``, which are in no index yet, that git would not write to the disk."""
    if not names or not repo.flag("core.sparseCheckout"):
        return frozenset()
    folder = repo.scalpel_dir / f"sparse.{os.urandom(8).hex()}"
    index = folder.with_name(folder.name + ".index")
    folder.mkdir(parents=True)
    git = repo.git.with_env(GIT_WORK_TREE=str(folder), GIT_INDEX_FILE=str(index))
    try:
        tree = store.write_tree(None, [Change(name, REGULAR, b"") for name in names])
        # Only with -m and -u does it look at the patterns.
        git("-C", str(folder), "read-tree", "-m", "-u", tree)
        rows = git("-C", str(folder), "ls-files", "-t", "-z")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        index.unlink(missing_ok=True)
    return frozenset(row[2:] for row in paths(rows) if row.startswith("S "))
