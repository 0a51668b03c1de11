"""Objects and refs, read from the repository's files by a process that ends soon: no git is started for them.

It reads a few faster than git answers; of many, which lie in deltas upon deltas, git is faster.
"""

from __future__ import annotations

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git.catfile import Object
from gitscalpel.git.loose import LooseObjects
from gitscalpel.git.packs import Packs
from gitscalpel.git.ref_files import RefFiles
from gitscalpel.git.repository import Repository

_ROOM = 1 << 20
"""Bytes of objects that are kept: a call asks for some of them again and again."""


class Here:
    """A :class:`gitscalpel.git.near.Source`."""

    at_once = 32

    def __init__(self, repo: Repository) -> None:
        self._packs = Packs(repo.objects)
        self._loose = LooseObjects(repo.objects, "sha1")
        self._refs = RefFiles(repo.git_dir, repo.common_dir)
        self._kept: dict[Oid, Object] = {}
        self._room = _ROOM

    def find(self, oid: Oid) -> Object | None:
        """See :meth:`gitscalpel.git.near.Source.find`."""
        if oid in self._kept:
            return self._kept[oid]
        read = self._loose.read(oid) or self._packs.read(oid)
        if read is None:
            return None
        found = Object(oid, *read)
        if len(found.content) <= self._room:
            self._room -= len(found.content)
            self._kept[oid] = found
        return found

    def ref(self, name: str) -> Oid | None:
        """See :meth:`gitscalpel.git.near.Source.ref`."""
        return self._refs.value(name)

    def close(self) -> None:
        """See :meth:`gitscalpel.git.near.Source.close`."""
        self._kept.clear()


def is_usual(repo: Repository) -> bool:
    """Whether ids and refs are such as are read here."""
    is_in_files = repo.config.get("extensions.refstorage", "files") == "files"
    return repo.object_format == "sha1" and is_in_files
