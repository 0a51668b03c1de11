"""Files of a repository for code without I/O: entries of mode and blob id, read lazily.

Paths are relative to the repository root with ``/`` between names; bytes that are not UTF-8 are surrogate
escapes (PEP 383), exactly as in ``os.fsdecode``.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Literal, NamedTuple, NewType, Protocol, TypeAlias

import msgspec

Oid = NewType("Oid", str)  # an object id as git prints it: 40 or 64 lower-case hex digits

REGULAR = "100644"
EXECUTABLE = "100755"
SYMLINK = "120000"
SUBMODULE = "160000"
TREE = "040000"


_OID = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")


def find_malformed_oid(oids: Iterable[str | None]) -> str | None:
    """Return the first of ``oids`` that is not an object id, or None."""
    return next((oid for oid in oids if oid is not None and not _OID.fullmatch(oid)), None)


def object_hash(object_format: str, *parts: bytes | bytearray) -> hashlib._Hash:
    """Return the hash object for the id of a git object; it protects no secret."""
    digest = hashlib.new(object_format, usedforsecurity=False)
    for part in parts:
        digest.update(part)
    return digest


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """One file, link, directory or submodule in a tree; an array in records, for compatibility."""

    mode: str
    oid: Oid


class Change(NamedTuple):
    """One path that differs between two trees. An entry is None if the path does not exist."""

    path: str
    old: Entry | None
    new: Entry | None


def _raise_missing(oid: Oid) -> bytes:
    raise KeyError(oid)


class Changes:
    """Difference of two trees by path, whose contents are read on demand.

    Two differences are equal if the same paths have the same old and new entries.
    """

    def __init__(self, rows: Iterable[Change] = (), read: Callable[[Oid], bytes] = _raise_missing) -> None:
        self._rows = tuple(rows)
        self._read = read

    def before(self, change: Change) -> bytes:
        """Return the old content of a path. Empty for a submodule, whose commit is in another repository."""
        return self._read_entry(change.old)

    def after(self, change: Change) -> bytes:
        return self._read_entry(change.new)

    def read_all(self) -> Changes:
        """Return the changes with all contents in memory, independent of the object store."""
        entries = {entry for change in self for entry in (change.old, change.new) if entry}
        texts = {entry.oid: self._read_entry(entry) for entry in entries}
        return Changes(self._rows, texts.__getitem__)

    def _read_entry(self, entry: Entry | None) -> bytes:
        if entry is None or entry.mode == SUBMODULE:
            return b""
        return self._read(entry.oid)

    def __iter__(self) -> Iterator[Change]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Changes) and self._rows == other._rows

    def __hash__(self) -> int:
        return hash(self._rows)


# Returns True if a file, given by path and bytes, matters. Equal functions must be the same object.
FileFilter: TypeAlias = Callable[[str, bytes], bool]


class FileOrigin(msgspec.Struct, frozen=True):
    """Origin of a moved or copied file."""

    origin: str  # first path
    # Kind of edit made under an intermediate name in another language: ``text`` for text and lines,
    # ``exempt`` for an edit that the structure gate judges only at level strict. Empty for none.
    by: Literal["", "exempt", "text"] = ""


class Snapshot(Protocol):
    """A read-only tree of files, such as a commit's."""

    def entry(self, path: str) -> Entry | None:
        """Return the entry at ``path`` (``""`` is the root), or None. Symbolic links are not followed."""

    def read(self, oid: Oid) -> bytes:
        """Return the bytes of a blob. Raises ``KeyError`` if there is no such blob."""

    def blob_id(self, content: bytes) -> Oid:
        """Return git's blob id of ``content``."""

    def under(self, prefix: str) -> Iterator[str]:
        """Yield every file path below the directory ``prefix`` (``""`` for all), in tree order."""

    def mentions(self, word: str, wanted: FileFilter | None = None) -> Iterable[str]:
        """Return the paths of text files that contain ``word``, and perhaps more; may read every file.

        Of several words, each on a line, one suffices. ``wanted`` decides which files matter if the word is a
        name there; others may be left out.
        """

    def left_out(self, path: str) -> bool:
        """Return True if a path exists but the sparse checkout keeps it from disk."""


def is_path_occupied(snapshot: Snapshot, path: str, expected: Entry | None) -> bool:
    """Return True if ``path`` has an unexpected entry, or if a parent directory is a file."""
    if snapshot.entry(path) != expected:
        return True
    return any(
        entry is not None and entry.mode != TREE for entry in map(snapshot.entry, parent_folders(path))
    )


def parent_folders(path: str) -> list[str]:
    """Return the directories that contain a path, the outermost first, without the root."""
    return [path[:at] for at, character in enumerate(path) if character == "/"]


class Overlay:
    """A snapshot with changes on top, so that an operation sees earlier ones.

    New contents have the id that git will give them, so mode and id identify the entry at a path.
    """

    def __init__(self, below: Snapshot, put: Mapping[str, Entry | None] | None = None) -> None:
        self.below = below
        self._fresh: dict[Oid, bytes] = {}
        self._put = dict(put or {})

    def copy(self) -> Overlay:
        overlay = Overlay(self.below, self._put)
        overlay._fresh = dict(self._fresh)
        return overlay

    def put(self, path: str, entry: Entry | None) -> None:
        """Set the entry at ``path``. None removes it."""
        more = (entry is not None) - (self._put.get(path) is not None)
        self._put[path] = entry
        if more and "_folder_counts" in self.__dict__:
            self._folder_counts.update(dict.fromkeys(parent_folders(path), more))

    @cached_property
    def _folder_counts(self) -> Counter[str]:
        return Counter(
            folder for path, put in self._put.items() if put is not None for folder in parent_folders(path)
        )

    def rewrite(self, path: str, mode: str, content: bytes) -> None:
        """Set new content at ``path``, and release the old content if it is at no other path."""
        was = self._put.get(path)
        self.put(path, self.holding(mode, content))
        if was is not None and all(put is None or put.oid != was.oid for put in self._put.values()):
            self._fresh.pop(was.oid, None)

    def holding(self, mode: str, content: bytes) -> Entry:
        """Return an entry for new content, to be put at a path."""
        oid = self.below.blob_id(content)
        self._fresh[oid] = content
        return Entry(mode, oid)

    @property
    def fresh(self) -> list[bytes]:
        oids = dict.fromkeys(entry.oid for entry in self._put.values() if entry is not None)
        return [self._fresh[oid] for oid in oids if oid in self._fresh]

    def without(self, paths: Iterable[str]) -> Overlay:
        overlay = Overlay(self.below, {**self._put, **dict.fromkeys(paths)})
        overlay._fresh = self._fresh
        return overlay

    @property
    def changes(self) -> list[Change]:
        """Return the paths that differ from the snapshot below, in order."""
        changes = (
            Change(path, self._find_old_entry(path), entry) for path, entry in sorted(self._put.items())
        )
        return [change for change in changes if change.old != change.new]

    def entry(self, path: str) -> Entry | None:
        entry = self._put.get(path)
        if entry is not None:
            return entry
        if self._folder_counts[path]:
            return Entry(TREE, Oid(""))
        return None if path in self._put else self.below.entry(path)

    def before(self, path: str) -> bytes | None:
        """Return the content at ``path`` before the changes. None if there was no blob."""
        entry = self._find_old_entry(path)
        return None if entry is None or entry.mode == SUBMODULE else self.below.read(entry.oid)

    def content(self, path: str) -> bytes | None:
        """Return the content at ``path`` with the changes, or None. Of a submodule it is git's diff line."""
        entry = self._put[path] if path in self._put else self._find_old_entry(path)
        if entry is None:
            return None
        if entry.mode == SUBMODULE:
            return f"Subproject commit {entry.oid}\n".encode()
        return self.read(entry.oid)

    def read(self, oid: Oid) -> bytes:
        content = self._fresh.get(oid)
        return self.below.read(oid) if content is None else content

    def blob_id(self, content: bytes) -> Oid:
        return self.below.blob_id(content)

    def under(self, prefix: str) -> Iterator[str]:
        start = prefix + "/" if prefix else ""
        removed = {path for path, entry in self._put.items() if entry is None}
        seen = set()
        for path in self.below.under(prefix):
            seen.add(path)
            if path not in removed:
                yield path
        for path in sorted(self._put):
            if path.startswith(start) and path not in seen and path not in removed:
                yield path

    def mentions(self, word: str, wanted: FileFilter | None = None) -> Iterable[str]:
        needles = word.encode("utf-8", "surrogateescape").split(b"\n")
        paths = {path for path in self.below.mentions(word, wanted) if path not in self._put}
        texts = ((path, self.content(path) or b"") for path in self._put)
        paths |= {path for path, text in texts if any(needle in text for needle in needles)}
        return sorted(paths)

    def left_out(self, path: str) -> bool:
        return path not in self._put and self.below.left_out(path)

    def _find_old_entry(self, path: str) -> Entry | None:
        entry = self.below.entry(path)
        return None if entry is None or entry.mode == TREE else entry


def read_content(files: Snapshot, path: str) -> bytes | None:
    """Return the content at ``path``. None if there is no blob."""
    return (files if isinstance(files, Overlay) else Overlay(files)).content(path)
