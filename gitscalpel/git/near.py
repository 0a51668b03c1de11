"""Objects and refs that are read in this process, with git behind it for whatever is not found there.

Only what all answer alike is not git's: an id, HEAD, a ref named in full and that there is none, and a path
below them. Other revisions, missing and damaged objects, objects that a partial clone has yet to fetch, and
broken refs are git's, so its answers and errors are the only ones there are. None follows replace refs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git.catfile import CatFile, Object
from gitscalpel.git.trees import parse

ID = re.compile("[0-9a-f]{40}", re.ASCII)
"""What SHA-1 calls an object."""
_WIDTH = 20
_COMMIT, _PEELED = "^{commit}", "^{}"
_ODD = frozenset({"", ".", ".."})
"""What git takes for something else than a name in a path."""


class Unclear(Exception):
    """It is git that knows."""


class Source(Protocol):
    """What reads here; SHA-1 only."""

    at_once: int
    """From so many objects on, git hands them out faster."""

    def find(self, oid: Oid) -> Object | None:
        """An object that is here and sound, or None."""

    def ref(self, name: str) -> Oid | None:
        """What ``HEAD`` or a ref stands for; None: there is no such ref. Raises ``Unclear``."""

    def close(self) -> None:
        """Let go of files."""


class Near:
    """An :class:`gitscalpel.git.store.Objects`.

    Args:
        source: what reads here.
        behind: the git that is asked otherwise.
    """

    def __init__(self, source: Source, behind: CatFile) -> None:
        self._source = source
        self._behind = behind

    def get(self, spec: str) -> Object | None:
        """See :meth:`gitscalpel.git.store.Objects.get`."""
        try:
            return self._get(spec)
        except Unclear:
            return self._behind.get(spec)

    def resolve(self, spec: str) -> Oid | None:
        """See :meth:`gitscalpel.git.store.Objects.resolve`."""
        try:
            found = self._get(spec)
        except Unclear:
            return self._behind.resolve(spec)
        return None if found is None else found.oid

    def several(self, oids: Sequence[Oid]) -> list[Object]:
        """See :meth:`gitscalpel.git.store.Objects.several`."""
        return self._behind.several(oids) if len(oids) >= self._source.at_once else []

    def close(self) -> None:
        """See :meth:`gitscalpel.git.store.Objects.close`."""
        self._behind.close()
        self._source.close()

    def _get(self, spec: str) -> Object | None:
        revision, colon, path = spec.partition(":")
        suffix = next((each for each in (_COMMIT, _PEELED) if revision.endswith(each)), "")
        oid = self._id(revision.removesuffix(suffix))
        if oid is None:
            return None
        found = self._found(oid)
        if (suffix and found.kind == "tag") or (suffix == _COMMIT and found.kind != "commit"):
            raise Unclear
        return self._below(found, path) if colon else found

    def _id(self, name: str) -> Oid | None:
        if ID.fullmatch(name):
            return Oid(name)
        if name == "HEAD" or name.startswith("refs/"):
            return self._source.ref(name)
        raise Unclear

    def _found(self, oid: Oid) -> Object:
        found = self._source.find(oid)
        if found is None:
            raise Unclear
        return found

    def _below(self, found: Object, path: str) -> Object | None:
        """What is at a path of a commit; None: nothing."""
        steps = path.split("/")
        if found.kind != "commit" or not _ODD.isdisjoint(steps):
            raise Unclear
        oid = Oid(found.content[5:45].decode("ascii", "replace"))
        for step in steps:
            tree = self._found(oid)
            if tree.kind != "tree":
                return None
            entry = parse(tree.content, _WIDTH).get(step)
            if entry is None:
                return None
            oid = entry.oid
        return self._found(oid)
