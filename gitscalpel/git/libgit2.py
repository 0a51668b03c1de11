"""Packed objects and refs read by libgit2, for long-lived processes (its import takes 100 ms).

Loose objects are read elsewhere: libgit2 never returns from a torn one, which a power failure leaves
(libgit2 issue 7342), and writes out of bounds if one has a wrong size (issue 7177).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pygit2
from pygit2.enums import ObjectType, RepositoryOpenFlag

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git.loose_objects import LooseObjects, object_id
from gitscalpel.git.object_reader import Object, Unclear
from gitscalpel.git.repository import Repository

_FAILURES = (pygit2.GitError, KeyError, ValueError, OSError)
_KINDS: dict[int, str] = {
    ObjectType.COMMIT: "commit",
    ObjectType.TREE: "tree",
    ObjectType.BLOB: "blob",
    ObjectType.TAG: "tag",
}
_FULL = re.compile("refs/[^~^:@]+")
"""The name of a ref in full, and not a revision that begins with one."""


class Libgit2:
    """A :class:`gitscalpel.git.object_reader.ObjectSource`."""

    at_once = sys.maxsize

    def __init__(self, library: pygit2.Repository, repo: Repository) -> None:
        self._library = library
        folders = list(_folders(repo))
        self._loose = [LooseObjects(folder, "sha1") for folder in folders]
        self._packs = [pygit2.OdbBackendPack(str(folder)) for folder in folders]

    def find(self, oid: Oid) -> Object | None:
        """See :meth:`gitscalpel.git.object_reader.ObjectSource.find`."""
        found = self._packed(oid)
        for loose in self._loose if found is None else ():
            if (read := loose.read(oid)) is not None:
                return Object(oid, *read)
        if found is None:  # packed meanwhile, or in a pack that came after the last look
            for packs in self._packs:
                packs.refresh()
            found = self._packed(oid)
        return found

    def ref(self, name: str) -> Oid | None:
        """See :meth:`gitscalpel.git.object_reader.ObjectSource.ref`."""
        try:
            ref = self._library.lookup_reference(name)
        except KeyError:
            if _FULL.fullmatch(name):
                return None
            raise Unclear from None
        except _FAILURES:  # it is there, and broken
            raise Unclear from None
        try:
            return Oid(str(ref.resolve().target))
        except _FAILURES:
            raise Unclear from None

    def close(self) -> None:
        """See :meth:`gitscalpel.git.object_reader.ObjectSource.close`."""
        self._library.free()

    def _packed(self, oid: Oid) -> Object | None:
        for packs in self._packs:
            try:
                number, content = packs.read(oid)
            except _FAILURES:
                continue
            kind = _KINDS[number]
            if object_id("sha1", kind, content) == oid:
                return Object(oid, kind, content)
        return None


def open_objects(repo: Repository) -> Libgit2 | None:
    """The repository's objects through libgit2, or None if it cannot open it.

    It refuses SHA-256, reftable and other extensions that it does not know, a
    configuration that it cannot parse, and owners that it does not trust. The
    path is explicit: neither a search nor the environment can lead elsewhere.
    """
    flags = RepositoryOpenFlag.NO_SEARCH | RepositoryOpenFlag.NO_DOTGIT | RepositoryOpenFlag.BARE
    try:
        return Libgit2(pygit2.Repository(str(repo.git_dir), flags), repo)
    except _FAILURES:
        return None


def _folders(repo: Repository) -> Iterator[Path]:
    """The object folder and those it borrows from, all that are named without quotes."""
    own = repo.common_dir / "objects"
    yield own
    if (own / "info/alternates").exists():
        rows = repo.git("count-objects", "-v").decode("utf-8", "surrogateescape").splitlines()
        yield from (Path(row[11:]) for row in rows if row.startswith("alternate: /"))
