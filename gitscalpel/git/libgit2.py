"""Read objects and refs through libgit2 in long-lived processes (its import takes 100 ms).

Only names that git reads alike are read here: an id, HEAD, a full ref name, and a path below them. All else,
and every error, is left to git. Replace refs are not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pygit2
from pygit2.enums import ObjectType, RepositoryOpenFlag

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git.object_writer import LooseObjects, object_id
from gitscalpel.git.objects import CatFile, Object, parse_tree
from gitscalpel.git.repository import Repository

_FAILURES = (pygit2.GitError, KeyError, ValueError, OSError)
_KINDS: dict[int, str] = {
    ObjectType.COMMIT: "commit",
    ObjectType.TREE: "tree",
    ObjectType.BLOB: "blob",
    ObjectType.TAG: "tag",
}
_OBJECT_ID = re.compile("[0-9a-f]{40}", re.ASCII)
_WIDTH = 20  # bytes of an object id. libgit2 opens no SHA-256 repository.
_FULL_REF = re.compile("refs/[^~^:@]+")  # matches a full ref name, but no revision that begins with one
_COMMIT, _PEELED = "^{commit}", "^{}"
_SPECIAL_STEPS = frozenset({"", ".", ".."})  # path components that git does not take for names


class _Unclear(Exception): ...


class Libgit2:
    """Objects read through libgit2, or through ``behind`` where it cannot answer."""

    def __init__(self, library: pygit2.Repository, repo: Repository, behind: CatFile) -> None:
        self._library = library
        self.fallback = behind
        folders = list(_iter_object_folders(repo))
        self._loose = [LooseObjects(folder, "sha1") for folder in folders]
        self._packs = [pygit2.OdbBackendPack(str(folder)) for folder in folders]

    def get(self, spec: str) -> Object | None:
        try:
            return self._get(spec)
        except _Unclear:
            return self.fallback.get(spec)

    def resolve(self, spec: str) -> Oid | None:
        try:
            object_ = self._get(spec)
        except _Unclear:
            return self.fallback.resolve(spec)
        return None if object_ is None else object_.oid

    def several(self, _: Sequence[Oid]) -> list[Object]:
        """Return nothing: reading objects one by one is as fast here."""
        return []

    def close(self) -> None:
        self.fallback.close()
        self._library.free()

    def _get(self, spec: str) -> Object | None:
        revision, colon, path = spec.partition(":")
        suffix = next((each for each in (_COMMIT, _PEELED) if revision.endswith(each)), "")
        oid = self._find_id(revision.removesuffix(suffix))
        if oid is None:
            return None
        object_ = self._read(oid)
        if (suffix and object_.kind == "tag") or (suffix == _COMMIT and object_.kind != "commit"):
            raise _Unclear
        return self._read_below(object_, path) if colon else object_

    def _find_id(self, name: str) -> Oid | None:
        if _OBJECT_ID.fullmatch(name):
            return Oid(name)
        if name != "HEAD" and not name.startswith("refs/"):
            raise _Unclear
        try:
            ref = self._library.lookup_reference(name)
        except KeyError:
            if _FULL_REF.fullmatch(name):
                return None
            raise _Unclear from None
        except _FAILURES:  # it exists, and is broken
            raise _Unclear from None
        try:
            return Oid(str(ref.resolve().target))
        except _FAILURES:
            raise _Unclear from None

    def _read(self, oid: Oid) -> Object:
        object_ = self._read_packed(oid)
        for loose in self._loose if object_ is None else ():
            if (read := loose.read(oid)) is not None:
                return Object(oid, *read)
        if object_ is None:  # packed by now, or in a new pack
            for packs in self._packs:
                packs.refresh()
            object_ = self._read_packed(oid)
        if object_ is None:
            raise _Unclear
        return object_

    def _read_packed(self, oid: Oid) -> Object | None:
        for packs in self._packs:
            try:
                number, content = packs.read(oid)
            except _FAILURES:
                continue
            kind = _KINDS[number]
            if object_id("sha1", kind, content) == oid:
                return Object(oid, kind, content)
        return None

    def _read_below(self, commit: Object, path: str) -> Object | None:
        steps = path.split("/")
        if commit.kind != "commit" or not _SPECIAL_STEPS.isdisjoint(steps):
            raise _Unclear
        oid = Oid(commit.content[5:45].decode("ascii", "replace"))
        for step in steps:
            tree = self._read(oid)
            if tree.kind != "tree":
                return None
            entry = parse_tree(tree.content, _WIDTH).get(step)
            if entry is None:
                return None
            oid = entry.oid
        return self._read(oid)


def open_objects(repo: Repository, behind: CatFile) -> Libgit2 | None:
    """Open the objects of a repository through libgit2, at its path, without a search or the environment.

    None if libgit2 refuses it: SHA-256, reftable and other extensions that it does not know, a configuration
    that it cannot parse, or an owner that it does not trust.
    """
    flags = RepositoryOpenFlag.NO_SEARCH | RepositoryOpenFlag.NO_DOTGIT | RepositoryOpenFlag.BARE
    try:
        return Libgit2(pygit2.Repository(str(repo.git_dir), flags), repo, behind)
    except _FAILURES:
        return None


def _iter_object_folders(repo: Repository) -> Iterator[Path]:
    """Yield the object directory and its alternates, as far as git prints them without quotes."""
    objects = repo.common_dir / "objects"
    yield objects
    if (objects / "info/alternates").exists():
        rows = repo.git("count-objects", "-v").decode("utf-8", "surrogateescape").splitlines()
        yield from (Path(row[11:]) for row in rows if row.startswith("alternate: /"))
