"""A disk as programs see it, with what of it is sure to be there after a power cut.

It begins as a folder is, all of it sure, and goes on record by record. Contents and names are kept apart: a
sync of a file makes its content sure, and one of a folder the names in it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from tests.power.recording import Record

_EXCHANGE = 2


class Node:
    """A file, a folder or a link.

    Attributes:
        content: as programs see it.
        sure: what of it has been synced.
        ordered: the same where a journal keeps order: what was written out before something else was synced.
    """

    def __init__(self, number: int, mode: int, content: bytes = b"", sure: bytes = b"") -> None:
        self.number, self.mode, self.content, self.sure = number, mode, content, sure
        self.ordered = sure
        self.replaces = False
        """It has been renamed over another: some file systems then write its content before the name."""

    @property
    def is_dirty(self) -> bool:
        """Whether a power cut may take something of its content."""
        return stat.S_ISREG(self.mode) and self.content != self.sure


Name = tuple[Node, str]
"""A name in a folder."""
Names = dict[Name, Node]


class Renaming(NamedTuple):
    """A change of names that one system call made; None: the name is gone.

    Attributes:
        entries: what becomes of each.
        is_sure: whether a folder has been synced since; that of the one before may still be missing.
    """

    entries: Mapping[Name, Node | None]
    is_sure: list[bool]

    def on(self, names: Names) -> None:
        """Make it."""
        for name, node in self.entries.items():
            if node is None:
                names.pop(name, None)
            else:
                names[name] = node


class Seen(NamedTuple):
    """What lies under a path; names of one file have one ``number``."""

    mode: int
    content: bytes
    number: int


State = dict[str, Seen]
"""Path → what lies there, below the root of the disk."""


class Disk:
    """The disk.

    Attributes:
        place: the folder that it is.
        sure: names that are there after a power cut whatever happens.
        pending: changes of names since then, in order.
        since_sync: how many of ``pending`` came after the last sync of anything.
    """

    def __init__(self, place: Path) -> None:
        self.place = os.path.realpath(place)
        self._nodes: dict[int, Node] = {}
        self.root = self._found(self.place)
        self._made = 0
        self._outside = Node(0, stat.S_IFDIR)
        self._names: Names = {}
        for here, folders, files in os.walk(self.place):
            folder = self._nodes[os.lstat(here).st_ino]
            for name in (*folders, *files):
                self._names[folder, name] = self._found(f"{here}/{name}")
        self.sure: Names = dict(self._names)
        self.pending: list[Renaming] = []
        self._written_out: dict[Node, bytes] = {}
        self.since_sync = 0

    def _found(self, path: str) -> Node:
        status = os.lstat(path)
        if status.st_ino not in self._nodes:
            content = b""
            if stat.S_ISREG(status.st_mode):
                content = Path(path).read_bytes()
            elif stat.S_ISLNK(status.st_mode):
                content = os.fsencode(Path(path).readlink())
            self._nodes[status.st_ino] = Node(len(self._nodes), status.st_mode, content, content)
        return self._nodes[status.st_ino]

    def apply(self, record: Record, without: str = "") -> None:
        """Go on by one change, as if files whose paths match ``without`` were not synced."""
        if record.what == "S" and without and self._matches(record, without):
            return
        if record.what in "RLKUDC":
            self._rename(self._names_of(record))
        elif record.what == "A":
            for node in self._nodes.values():
                self._sync(node)
        elif record.file in self._nodes:
            node = self._nodes[record.file]
            if record.what == "S":
                self._sync(node)
            elif record.what == "F":
                self._written_out[node] = node.content
            elif record.what in "Mm":
                node.mode = stat.S_IFMT(node.mode) | stat.S_IMODE(record.number)
            else:
                node.content = _written(node.content, record)

    def _names_of(self, record: Record) -> dict[Name, Node | None]:
        """The names that a change is about, and what they name after it."""
        path = self._name(record.path)
        if record.what == "U":
            return {path: None}
        if record.what in "CD":
            node = self._nodes[record.file] = self._new(record.number)
            return {path: node} if record.path else {}
        to = self._name(record.to)
        if record.what == "K":
            node = self._nodes[record.file] = self._new(stat.S_IFLNK | 0o777, record.path)
            return {to: node}
        moved, there = self._names.get(path) or self._nodes[record.file], self._names.get(to)
        if record.what == "L" or moved is there:  # rename(2): two names of one file stay
            return {to: moved}
        if record.number & _EXCHANGE:
            return {path: there, to: moved}
        moved.replaces = there is not None
        return {path: None, to: moved}

    def _new(self, mode: int, content: bytes = b"") -> Node:
        self._made += 1
        return Node(-self._made, mode, content, content)

    def _name(self, path: bytes) -> Name:
        full = os.path.normpath(os.fsdecode(path))
        if not full.startswith(self.place + "/"):
            return self._outside, full
        folder, *parts = self.root, *full[len(self.place) + 1 :].split("/")
        for part in parts[:-1]:
            folder = self._names[folder, part]
        return folder, parts[-1]

    def _rename(self, entries: dict[Name, Node | None]) -> None:
        change = Renaming(entries, [False])
        change.on(self._names)
        if any(folder is not self._outside for folder, _ in entries):
            self.pending.append(change)
            self.since_sync += 1

    def _matches(self, record: Record, pattern: str) -> bool:
        return any(fnmatch(path, pattern) for path in self._paths(self._nodes.get(record.file)))

    def _paths(self, node: Node | None) -> Iterator[str]:
        """Under which paths a file lies."""
        if node is self.root:
            yield "."
        for (folder, name), each in self._names.items():
            if each is node:
                yield from (f"{above}/{name}" for above in self._paths(folder))

    def _sync(self, node: Node) -> None:
        node.sure = self._written_out[node] = node.content
        for each, content in self._written_out.items():
            each.ordered = content
        self._written_out.clear()
        self.since_sync = 0
        for change in self.pending:
            change.is_sure[0] |= any(folder is node for folder, _ in change.entries)
        while self.pending and self.pending[0].is_sure[0]:
            self.pending.pop(0).on(self.sure)

    def state(self, changes: Iterable[Renaming], content: Callable[[Node], bytes]) -> State:
        """What there is if of the pending ``changes`` just these have come to the disk."""
        names = dict(self.sure)
        for change in changes:
            change.on(names)
        below: dict[Node, list[tuple[str, Node]]] = {}
        for (folder, name), node in names.items():
            below.setdefault(folder, []).append((name, node))
        return dict(_walked(self.root, "", below, content))

    def now(self) -> State:
        """What programs see."""
        return self.state(self.pending, lambda node: node.content)


def _walked(
    folder: Node, path: str, below: Mapping[Node, list[tuple[str, Node]]], content: Callable[[Node], bytes]
) -> Iterator[tuple[str, Seen]]:
    for name, node in below.get(folder, []):
        yield path + name, Seen(node.mode, content(node), node.number)
        if stat.S_ISDIR(node.mode):
            yield from _walked(node, f"{path}{name}/", below, content)


def _written(content: bytes, record: Record) -> bytes:
    if record.what == "W":
        return record.path
    if record.what == "T":
        return content[: record.number].ljust(record.number, b"\0")
    before = content[: record.number].ljust(record.number, b"\0")
    return before + record.path + content[record.number + len(record.path) :]
