"""What the pure rooms see of a repository, and what they give back.

A file is an entry (mode and blob id) until someone needs its bytes, so
renaming 100 MB moves an id, never bytes. Paths are relative to the repository
root with ``/`` between names; bytes that are not UTF-8 are carried as
surrogate escapes (PEP 383), exactly as ``os.fsdecode`` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, NewType, Protocol

Oid = NewType("Oid", str)
"""An object id as git prints it: 40 or 64 lower-case hex digits."""

REGULAR = "100644"
EXECUTABLE = "100755"
SYMLINK = "120000"
SUBMODULE = "160000"
TREE = "040000"


class Entry(NamedTuple):
    """One file, link, folder or submodule in a tree."""

    mode: str
    oid: Oid


class Change(NamedTuple):
    """One path after an edit: new bytes, an existing blob, or gone.

    ``content`` is bytes for new content, an :class:`Oid` for content that
    git already holds, and ``None`` for a removed path.
    """

    path: str
    mode: str
    content: bytes | Oid | None

    @classmethod
    def to(cls, path: str, entry: Entry | None) -> Change:
        """The change that leaves ``entry`` at ``path``; None removes it."""
        return cls(path, entry.mode, entry.oid) if entry else cls(path, "", None)


class Snapshot(Protocol):
    """A read-only tree of files, such as a commit's."""

    def entry(self, path: str) -> Entry | None:
        """The entry at ``path`` (``""`` is the root), or None. Symlinks are not followed."""

    def read(self, oid: Oid) -> bytes:
        """A blob's bytes. Raises ``KeyError`` if there is no such blob."""

    def under(self, prefix: str) -> Iterator[str]:
        """Every file path below the folder ``prefix`` (``""``: all), in tree order."""

    def mentions(self, word: str) -> Iterable[str]:
        """A superset of the paths of text files that hold ``word``; may read every file."""


def is_in_the_way(snapshot: Snapshot, path: str, expected: Entry | None) -> bool:
    """Whether something else stands at ``path``, or a file where one of its folders has to be."""
    if snapshot.entry(path) != expected:
        return True
    folders = [path[:at] for at, character in enumerate(path) if character == "/"]
    return any(entry is not None and entry.mode != TREE for entry in map(snapshot.entry, folders))


class Overlay:
    """A snapshot with changes on top, so that an operation sees those before it."""

    def __init__(self, below: Snapshot, changes: dict[str, Change] | None = None) -> None:
        self.below = below
        self.changes: dict[str, Change] = dict(changes or {})

    def put(self, change: Change) -> None:
        """Record ``change`` over whatever was at its path."""
        self.changes[change.path] = change

    def entry(self, path: str) -> Entry | None:
        """See :meth:`Snapshot.entry`."""
        change = self.changes.get(path)
        if change is not None and change.content is not None:
            return Entry(change.mode, self._oid(change))
        if any(p.startswith(path + "/") and c.content is not None for p, c in self.changes.items()):
            return Entry(TREE, Oid(""))
        return None if change is not None else self.below.entry(path)

    def before(self, path: str) -> bytes | None:
        """The bytes that were at ``path`` before the changes, or None where there was no blob."""
        entry = self.below.entry(path)
        return None if entry is None or entry.mode in (TREE, SUBMODULE) else self.below.read(entry.oid)

    def content(self, path: str) -> bytes | None:
        """The bytes at ``path``, changed or not, or None where there is no blob."""
        change = self.changes.get(path)
        if change is None:
            entry = self.below.entry(path)
            return None if entry is None or entry.mode == TREE else self.below.read(entry.oid)
        if change.content is None or isinstance(change.content, bytes):
            return change.content
        return self.below.read(change.content)

    def held(self, path: str, entry: Entry) -> bytes | Oid:
        """What ``entry``, which stands at ``path``, holds: by its id where git has it, so never read."""
        change = self.changes.get(path)
        return entry.oid if change is None or change.content is None else change.content

    def read(self, oid: Oid) -> bytes:
        """See :meth:`Snapshot.read`."""
        return self.below.read(oid)

    def under(self, prefix: str) -> Iterator[str]:
        """See :meth:`Snapshot.under`."""
        start = prefix + "/" if prefix else ""
        gone = {p for p, c in self.changes.items() if c.content is None}
        seen = set()
        for path in self.below.under(prefix):
            seen.add(path)
            if path not in gone:
                yield path
        for path in sorted(self.changes):
            if path.startswith(start) and path not in seen and path not in gone:
                yield path

    def mentions(self, word: str) -> Iterable[str]:
        """See :meth:`Snapshot.mentions`."""
        needle = word.encode("utf-8", "surrogateescape")
        found = {p for p in self.below.mentions(word) if p not in self.changes}
        for path, change in self.changes.items():
            if isinstance(change.content, bytes) and needle in change.content:
                found.add(path)
        return sorted(found)

    @staticmethod
    def _oid(change: Change) -> Oid:
        # New bytes have no id until the store writes them; nobody below needs one.
        return Oid("") if isinstance(change.content, bytes) else Oid(str(change.content))


def content_of(files: Snapshot, path: str) -> bytes | None:
    """The bytes at ``path``, or None where there is no blob; of an overlay, with its changes."""
    return (files if isinstance(files, Overlay) else Overlay(files)).content(path)
