"""Trees as values, changed and compared level by level, and a bounded cache of levels.

Only the trees on the way to a path are read or written: an edit deep in a tree of 80,000 files rewrites
as many trees as its path has directories. A temporary index would take time by the size of the
repository.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable

from gitscalpel.changesets.file_tree import TREE, Change, Entry, Oid

Level = dict[str, Entry]
Reader = Callable[[Oid], Level]
Writer = Callable[[bytes], Oid]
_Steps = list[tuple[list[str], Entry | None]]


def parse(content: bytes, hash_size: int) -> Level:
    """The entries of a tree object, in its order."""
    level: Level = {}
    at = 0
    while at < len(content):
        space = content.index(b" ", at)
        end = content.index(b"\0", space)
        mode = content[at:space].decode("ascii").rjust(6, "0")
        oid = content[end + 1 : end + 1 + hash_size].hex()
        level[os.fsdecode(content[space + 1 : end])] = Entry(mode, Oid(oid))
        at = end + 1 + hash_size
    return level


def serialize(level: Level) -> bytes:
    """A tree object. Git sorts by bytes, a folder as if its name ended in a slash."""
    rows = [(os.fsencode(name), entry) for name, entry in level.items()]
    rows.sort(key=lambda row: row[0] + b"/" if row[1].mode == TREE else row[0])
    return b"".join(
        b"%s %s\0%s" % (entry.mode.lstrip("0").encode(), name, bytes.fromhex(entry.oid))
        for name, entry in rows
    )


def edit(base: Oid | None, edits: Iterable[tuple[str, Entry | None]], read: Reader, write: Writer) -> Oid:
    """The tree ``base`` with some paths changed.

    A file takes the place of a folder and the other way round; a folder that
    loses its last file is gone. Removing ``a`` and putting ``a/b`` at once works.
    """
    tree = _edit(base, [(path.split("/"), entry) for path, entry in edits], read, write)
    return write(b"") if tree is None else tree


def _edit(base: Oid | None, edits: _Steps, read: Reader, write: Writer) -> Oid | None:
    level = dict(read(base)) if base else {}
    folders: dict[str, _Steps] = {}
    for names, entry in edits:
        if len(names) > 1:
            folders.setdefault(names[0], []).append((names[1:], entry))
        elif entry is None:
            level.pop(names[0], None)
        else:
            level[names[0]] = entry
    for name, below in folders.items():
        there = level.get(name)
        folder = there.oid if there is not None and there.mode == TREE else None
        if folder is None and all(entry is None for _, entry in below):
            continue  # nothing to remove there; a file of that name stays
        oid = _edit(folder, below, read, write)
        if oid is None:
            level.pop(name, None)
        else:
            level[name] = Entry(TREE, oid)
    return write(serialize(level)) if level else None


def difference(old: Oid | None, new: Oid | None, read: Reader, at: str = "") -> list[Change]:
    """The files in which two trees differ, in tree order, folders opened only where they differ."""
    if old == new:
        return []
    before, after = read(old) if old else {}, read(new) if new else {}
    found: list[Change] = []
    for name in {**before, **after}:
        a, b = before.get(name), after.get(name)
        if a == b:
            continue
        path = at + name
        trees = [entry.oid if entry is not None and entry.mode == TREE else None for entry in (a, b)]
        files = [None if entry is None or entry.mode == TREE else entry for entry in (a, b)]
        if files != [None, None]:
            found.append(Change(path, files[0], files[1]))
        found += difference(trees[0], trees[1], read, path + "/")
    return sorted(found, key=lambda change: os.fsencode(change.path)) if not at else found


CACHED_ENTRIES = 100_000
"""Entries kept; one takes some 300 bytes."""
MIN_LEVELS = 4
"""Levels kept however large they are: the directories above a file are read again and again."""


class LevelCache:
    """The levels used last, by tree id; they never change, so nothing gets stale."""

    def __init__(self, rows: int = CACHED_ENTRIES, fewest: int = MIN_LEVELS) -> None:
        self._limit = rows
        self._fewest = fewest
        self._rows = 0
        self._levels: OrderedDict[Oid, Level] = OrderedDict()

    def get(self, oid: Oid) -> Level | None:
        """The level, if it is kept."""
        level = self._levels.get(oid)
        if level is not None:
            self._levels.move_to_end(oid)
        return level

    def put(self, oid: Oid, level: Level) -> None:
        """Keep ``level``, and let go of those longest unused."""
        if oid not in self._levels:
            self._levels[oid] = level
            self._rows += len(level)
        while self._rows > self._limit and len(self._levels) > self._fewest:
            self._rows -= len(self._levels.popitem(last=False)[1])
