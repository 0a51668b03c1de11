"""A tree in the object store, as the pure rooms see it."""

from __future__ import annotations

import os
from collections.abc import Iterator

from gitscalpel.git.run import Git, failure, paths
from gitscalpel.git.store import Store
from gitscalpel.snapshot import SUBMODULE, TREE, Entry, Oid


class TreeSnapshot:
    """A :class:`gitscalpel.snapshot.Snapshot` of one tree."""

    def __init__(self, store: Store, git: Git, tree: Oid) -> None:
        self.tree = tree
        self._store = store
        self._git = git

    def entry(self, path: str) -> Entry | None:
        """See :meth:`gitscalpel.snapshot.Snapshot.entry`."""
        here = Entry(TREE, self.tree)
        for name in path.split("/") if path else ():
            below = self._store.tree(here.oid).get(name) if here.mode == TREE else None
            if below is None:
                return None
            here = below
        return here

    def read(self, oid: Oid) -> bytes:
        """See :meth:`gitscalpel.snapshot.Snapshot.read`."""
        return self._store.read(oid)

    def blob_id(self, content: bytes) -> Oid:
        """See :meth:`gitscalpel.snapshot.Snapshot.blob_id`."""
        return self._store.blob_id(content)

    def under(self, prefix: str) -> Iterator[str]:
        """See :meth:`gitscalpel.snapshot.Snapshot.under`."""
        folder = self.entry(prefix)
        if folder is None or folder.mode != TREE:
            return
        start = prefix + "/" if prefix else ""
        for row in self._git("ls-tree", "-r", "-z", "--full-tree", folder.oid).split(b"\0"):
            meta, _, name = row.partition(b"\t")
            if name and not meta.startswith(SUBMODULE.encode()):
                yield start + os.fsdecode(name)

    def mentions(self, word: str) -> list[str]:
        """See :meth:`gitscalpel.snapshot.Snapshot.mentions`."""
        result = self._git.run(
            # Without -I, which would also leave out text files with the attribute -diff.
            *("grep", "-z", "-l", "-F", "--no-recurse-submodules", "--full-name", "-e", word, self.tree),
        )
        if result.status > 1:
            raise failure("grep", result.status, result.err)
        # Each path comes as <tree>:<path>.
        return [path.partition(":")[2] for path in paths(result.out)]
