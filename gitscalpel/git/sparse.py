"""Which new files a sparse checkout leaves out.

An entry that is in the index says so itself; a path that is new is decided by
patterns, in one of two languages. Git answers for it: it checks out empty
files of these names, in a folder of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitscalpel.changesets.file_tree import REGULAR, Entry
from gitscalpel.git import scratch
from gitscalpel.git.repository import Repository
from gitscalpel.git.run import paths
from gitscalpel.git.store import Store


def outside(repo: Repository, store: Store, names: Sequence[str]) -> frozenset[str]:
    """The paths of ``names``, which are in no index yet, that git would not write to the disk."""
    if not names or not repo.flag("core.sparseCheckout"):
        return frozenset()
    with scratch.made(repo.scalpel_dir) as held:
        folder = held.path / "files"
        folder.mkdir()
        git = repo.git.inheriting(held.lock).with_env(
            GIT_WORK_TREE=str(folder), GIT_INDEX_FILE=str(held.path / "index")
        )
        tree = store.write_tree(None, [(name, Entry(REGULAR, store.blob_id(b""))) for name in names], [b""])
        # Only with -m and -u does it look at the patterns.
        git("-C", str(folder), "read-tree", "-m", "-u", tree)
        rows = git("-C", str(folder), "ls-files", "-t", "-z")
    return frozenset(row[2:] for row in paths(rows) if row.startswith("S "))
