"""Snapshot of the working tree's files as they are on disk, unconverted.

Bytes are taken as they are, not as git would store them: what a clean filter removes, and mixed line
endings, stay around an edit. Every existing file is visible, tracked or not; only listings leave out
ignored files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property

from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, SUBMODULE, TREE, Entry, Oid, Wanted
from gitscalpel.errors import DoesNotFit, WorldMoved
from gitscalpel.git.object_store import Store
from gitscalpel.git.process import Git, paths
from gitscalpel.git.tree_snapshot import MAX_CACHED_BYTES, WordSearch, require_listing
from gitscalpel.git.working_tree import OTHER, WorkTree


class WorkingTreeSnapshot:
    """A :class:`gitscalpel.changesets.file_tree.Snapshot` of the working tree: each path as first seen."""

    def __init__(self, store: Store, git: Git, work: WorkTree) -> None:
        self._store, self._git, self._work = store, git, work
        self._entries: dict[str, Entry | None] = {}
        self._bytes: dict[Oid, bytes] = {}
        self._words = WordSearch(self._searched, self._files)

    def again(self) -> WorkingTreeSnapshot:
        """The same as it is now, which still knows the bytes that this one has read."""
        now = WorkingTreeSnapshot(self._store, self._git, self._work)
        now._bytes = self._bytes
        return now

    def entry(self, path: str) -> Entry | None:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.entry`.

        Raises:
            DoesNotFit: ``not_a_file``: a socket, a pipe or a device.
        """
        if path not in self._entries:
            self._entries[path] = self._looked(path)
        return self._entries[path]

    def read(self, oid: Oid) -> bytes:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.read`.

        Raises:
            WorldMoved: ``stale``: nobody has kept what was seen of a file that is uncommitted.
        """
        if oid in self._bytes:
            return self._bytes[oid]
        try:
            return self._store.read(oid)
        except KeyError:
            raise WorldMoved(
                "stale",
                f"no file is {oid} any more, and git has not kept those bytes",
                "look at the file again, and edit what it is now",
            ) from None

    def blob_id(self, content: bytes) -> Oid:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.blob_id`."""
        return self._store.blob_id(content)

    def under(self, prefix: str) -> Iterator[str]:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.under`."""
        if prefix and self._work.mode(prefix) is None:  # git need not be asked
            return
        kinds = ("--cached", "--others", "--exclude-standard", "--deduplicate")
        where = f":(top,literal){prefix}" if prefix else ":(top)"
        rows = sorted(set(self._git("ls-files", "-z", "--full-name", *kinds, "--", where).split(b"\0")))
        for row in rows:
            path = os.fsdecode(row)
            # One that ends with a slash is another repository; one that is staged may not be there.
            if row and not path.endswith("/") and self._work.mode(path) not in (None, TREE, OTHER):
                yield path

    def mentions(self, word: str, wanted: Wanted | None = None) -> Iterable[str]:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.mentions`."""
        return self._words.holding(word, wanted)

    def left_out(self, path: str) -> bool:
        """See :meth:`gitscalpel.changesets.file_tree.Snapshot.left_out`; an index may hold whole folders."""
        rows = self._git("ls-files", "-t", "-z", "--full-name", "--", f":(top,literal){path}").split(b"\0")
        return any(row.startswith(b"S ") for row in rows)

    def _searched(self, word: str) -> list[str]:
        # Who looks through untracked files leaves out what is ignored, though it is tracked.
        found = {*self._grepped(word), *self._grepped(word, "--untracked")}
        return sorted(found, key=os.fsencode)

    def _grepped(self, word: str, *which: str) -> list[str]:
        result = self._git.run(
            *("grep", *which, "-z", "-l", "-F", "--no-recurse-submodules", "--full-name", "-e", word),
            *("--", ":(top)"),
        )
        return paths(require_listing(result))

    def _files(self) -> Iterator[tuple[str, bytes]] | None:
        """Path and bytes of each file; None: they are too many."""
        files = [path for path in self.under("") if self._work.mode(path) in (REGULAR, EXECUTABLE)]
        sizes = (self._work.root / path for path in files)
        if sum(each.lstat().st_size for each in sizes if each.exists()) > MAX_CACHED_BYTES:
            return None
        return self._contents(files)

    def _contents(self, files: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        for path in files:
            with suppress(FileNotFoundError, NotADirectoryError):  # it has gone in this moment
                yield path, self._work.read(path)

    def _looked(self, path: str) -> Entry | None:
        mode = self._work.mode(path) if path else TREE
        if mode == OTHER:
            raise DoesNotFit("not_a_file", f"{path} is no regular file", "name a file or a link", path=path)
        if mode == TREE:
            return Entry(SUBMODULE if self._is_another(path) else TREE, Oid(""))
        if mode is not None:
            with suppress(FileNotFoundError, NotADirectoryError):  # it has gone in this moment
                content = self._work.read(path)
                oid = self.blob_id(content)
                self._bytes[oid] = content
                return Entry(mode, oid)
        return None

    def _is_another(self, path: str) -> bool:
        """Whether the folder is a repository of its own, or belongs to one that is not checked out."""
        if not path:
            return False
        return (self._work.root / path / ".git").exists() or path in self._submodules

    @cached_property
    def _submodules(self) -> frozenset[str]:
        if not (self._work.root / ".gitmodules").exists():
            return frozenset()
        rows = (row.partition(b"\t") for row in self._git("ls-files", "-s", "-z", ":(top)").split(b"\0"))
        return frozenset(os.fsdecode(name) for meta, _, name in rows if meta.startswith(SUBMODULE.encode()))
