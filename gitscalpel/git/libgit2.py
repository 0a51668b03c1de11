"""Packed objects and refs read by libgit2, in this process, with git behind it for what is not found.

Only what both answer alike is asked of libgit2: an id, HEAD, a ref named in
full, and that there is no such ref. Other revisions, missing and damaged
objects, objects that a partial clone has yet to fetch, and broken refs are
git's, so its answers and errors are the only ones there are. Neither follows
replace refs. Loose objects are read here: libgit2 never returns from a torn
one, which a power failure leaves (libgit2 issue 7342), and writes out of
bounds where one lies about its size (7177). Importing this module takes some 100 ms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pygit2
from pygit2.enums import ObjectType, RepositoryOpenFlag

from gitscalpel.git.catfile import CatFile, Object
from gitscalpel.git.loose import LooseObjects, object_id
from gitscalpel.git.repository import Repository
from gitscalpel.snapshot import Oid

_FAILURES = (pygit2.GitError, KeyError, ValueError, OSError)
_KINDS: dict[int, str] = {
    ObjectType.COMMIT: "commit",
    ObjectType.TREE: "tree",
    ObjectType.BLOB: "blob",
    ObjectType.TAG: "tag",
}
_ID = re.compile("[0-9a-f]{40}")
_FULL = re.compile("refs/[^~^:@]+")
"""The name of a ref in full, and not a revision that begins with one."""
_COMMIT = "^{commit}"


class Libgit2:
    """An :class:`gitscalpel.git.store.Objects`."""

    def __init__(self, library: pygit2.Repository, repo: Repository) -> None:
        self._library = library
        self._behind = CatFile(repo.git)
        folders = list(_folders(repo))
        self._loose = [LooseObjects(folder, "sha1") for folder in folders]
        self._packs = [pygit2.OdbBackendPack(str(folder)) for folder in folders]

    def get(self, spec: str) -> Object | None:
        """See :meth:`gitscalpel.git.store.Objects.get`."""
        name = spec.removesuffix(_COMMIT)
        found = self._find(name)
        if found is None and self._is_no_ref(name):
            return None
        if found is None or (spec.endswith(_COMMIT) and found.kind != "commit"):
            return self._behind.get(spec)
        return found

    def resolve(self, spec: str) -> Oid | None:
        """See :meth:`gitscalpel.git.store.Objects.resolve`."""
        found = self._find(spec)
        if found is None:
            return None if self._is_no_ref(spec) else self._behind.resolve(spec)
        return found.oid

    def several(self, oids: Sequence[Oid]) -> list[Object]:
        """See :meth:`gitscalpel.git.store.Objects.several`: here each is at hand when it is asked for."""
        del oids
        return []

    def part(self) -> None:
        """See :meth:`gitscalpel.git.store.Objects.part`: what libgit2 has open, two processes may read."""
        self._behind.part()

    def close(self) -> None:
        """See :meth:`gitscalpel.git.store.Objects.close`."""
        self._behind.close()
        self._library.free()

    def _is_no_ref(self, spec: str) -> bool:
        """Whether a full name is that of no ref: git, which is started for it, would find none either."""
        if not _FULL.fullmatch(spec):
            return False
        try:
            self._library.lookup_reference(spec)
        except KeyError:
            return True
        except _FAILURES:  # it is there, and broken
            pass
        return False

    def _find(self, spec: str) -> Object | None:
        try:
            oid = self._id(spec)
        except _FAILURES:
            return None
        found = self._packed(oid)
        for loose in self._loose if found is None else ():
            if (read := loose.read(oid)) is not None:
                return Object(oid, *read)
        if found is None:  # packed meanwhile, or in a pack that came after the last look
            for packs in self._packs:
                packs.refresh()
            found = self._packed(oid)
        return found

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

    def _id(self, spec: str) -> Oid:
        if _ID.fullmatch(spec):
            return Oid(spec)
        if spec == "HEAD" or spec.startswith("refs/"):
            return Oid(str(self._library.lookup_reference(spec).resolve().target))
        raise KeyError(spec)


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
