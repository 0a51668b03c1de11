"""Objects as git stores them: one `git cat-file` process that reads them, and trees as values.

The process is started when first asked, one per repository and not per object.

Trees are changed and compared level by level: only those on the way to a path are read or written, so an
edit deep in a tree of 80,000 files rewrites as many trees as its path has directories. A temporary index
would take time by the size of the repository.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING

import msgspec

from gitscalpel.changesets.file_tree import TREE, Change, Entry, Oid
from gitscalpel.errors import Damaged, InputOutput
from gitscalpel.git import process
from gitscalpel.git.object_writer import object_id
from gitscalpel.git.process import Git, failure

if TYPE_CHECKING:
    from gitscalpel.git.process import Child


_AT_ONCE = 50
"""Questions that wait for git: in 4 kB, for which every pipe has room, or both sides would wait."""


class Object(msgspec.Struct, frozen=True):
    """An object as git stores it."""

    oid: Oid
    kind: str
    content: bytes


class CatFile:
    """An :class:`gitscalpel.git.object_store.Objects` that asks a ``cat-file --batch-command -z``.

    The option ``-z`` came with the oldest git that will do, so an older one is
    found out here and the version needs no process of its own.
    """

    def __init__(self, git: Git) -> None:
        self._git = git
        self.process: Child[bytes] | None = None

    def __enter__(self) -> CatFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def get(self, spec: str) -> Object | None:
        """See :meth:`gitscalpel.git.object_store.Objects.get`."""
        with self._to_the_end():
            found = self._content(self._ask("contents", spec))
        if found is not None and not _is_sound(found):
            raise Damaged(  # git finds out only in fsck
                "corrupt",
                f"the content of {found.kind} {found.oid} is not what its name says",
                "run `git fsck --full` and repair what it names",
            )
        return found

    def several(self, oids: Sequence[Oid]) -> list[Object]:
        """Those of several objects that are there and sound, asked for without waiting for each.

        Raises:
            Damaged: git cannot read one.
            InputOutput: one is to be fetched, and is not to be had.
        """
        found: list[Object | None] = []
        for at in range(0, len(oids), _AT_ONCE):
            some = oids[at : at + _AT_ONCE]
            with self._to_the_end():
                self._say("contents", *some)
                found += [self._content(self._header()) for _ in some]
        return [each for each in found if each is not None and _is_sound(each)]

    def resolve(self, spec: str) -> Oid | None:
        """See :meth:`gitscalpel.git.object_store.Objects.resolve`."""
        with self._to_the_end():
            header = self._ask("info", spec)
        return None if header is None else header[0]

    def close(self) -> None:
        """End the child; the next question starts another."""
        child, self.process = self.process, None
        if child is not None:
            with child:
                pass

    @contextmanager
    def _to_the_end(self) -> Iterator[None]:
        """Part from the child if it is interrupted within: the rest of its answer would be the next one's."""
        try:
            yield
        except BaseException:
            child, self.process = self.process, None
            if child is not None:
                with child:
                    child.kill()
            raise

    def _ask(self, command: str, spec: str) -> tuple[Oid, str, int] | None:
        if "\n" in spec or "\0" in spec:
            return None  # no name of anything, and git's answer would not be one line
        self._say(command, spec)
        return self._header()

    def _say(self, command: str, *specs: str) -> None:
        if self.process is None:
            self.process = self._git.start("cat-file", "--batch-command", "-z", apart=True)
        assert self.process.stdin is not None  # noqa: S101  it is a pipe
        with suppress(BrokenPipeError):  # which is found out where the answer is read
            for spec in specs:
                self.process.stdin.write(command.encode() + b" " + os.fsencode(spec) + b"\0")
            self.process.stdin.flush()

    def _header(self) -> tuple[Oid, str, int] | None:
        assert self.process is not None and self.process.stdout is not None  # noqa: S101, PT018
        header = self.process.stdout.readline()
        if not header:
            self._died()
        if header.endswith((b" missing\n", b" ambiguous\n")):
            return None
        oid, kind, size = header.decode("ascii").split()
        return Oid(oid), kind, int(size)

    def _content(self, header: tuple[Oid, str, int] | None) -> Object | None:
        if header is None:
            return None
        oid, kind, size = header
        return Object(oid, kind, self._read(size + 1)[:-1])

    def _read(self, size: int) -> bytes:
        assert self.process is not None and self.process.stdout is not None  # noqa: S101, PT018
        content = self.process.stdout.read(size)
        if len(content) != size:
            self._died()
        return content

    def _died(self) -> None:
        child, self.process = self.process, None
        assert child is not None and child.stdin is not None  # noqa: S101, PT018
        with suppress(BrokenPipeError):
            child.stdin.close()
        with child:
            assert child.stderr is not None  # noqa: S101
            err = child.stderr.read().decode("utf-8", "replace").strip()
        process.require_version_after(self._git, child.returncode)
        if "promisor" in err:  # of a partial clone
            raise InputOutput(
                "io_error",
                f"an object is not here, and the remote that should have it does not give it: {err}",
                "try again when the remote can be reached; `git fetch` says what is wrong with it",
            )
        if child.returncode == 128:
            raise Damaged(
                "corrupt",
                f"git cannot read an object: {err}",
                "run `git fsck --full` and repair what it names",
            )
        raise failure("cat-file", child.returncode, err)


def _is_sound(found: Object) -> bool:
    return object_id("sha256" if len(found.oid) == 64 else "sha1", found.kind, found.content) == found.oid


Level = dict[str, Entry]
Reader = Callable[[Oid], Level]
Writer = Callable[[bytes], Oid]
_Steps = list[tuple[list[str], Entry | None]]


def parse_tree(content: bytes, hash_size: int) -> Level:
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


def serialize_tree(level: Level) -> bytes:
    """A tree object. Git sorts by bytes, a folder as if its name ended in a slash."""
    rows = [(os.fsencode(name), entry) for name, entry in level.items()]
    rows.sort(key=lambda row: row[0] + b"/" if row[1].mode == TREE else row[0])
    return b"".join(
        b"%s %s\0%s" % (entry.mode.lstrip("0").encode(), name, bytes.fromhex(entry.oid))
        for name, entry in rows
    )


def edit_tree(
    base: Oid | None, edits: Iterable[tuple[str, Entry | None]], read: Reader, write: Writer
) -> Oid:
    """The tree ``base`` with some paths changed.

    A file takes the place of a folder and the other way round; a folder that
    loses its last file is gone. Removing ``a`` and putting ``a/b`` at once works.
    """
    tree = _edit_level(base, [(path.split("/"), entry) for path, entry in edits], read, write)
    return write(b"") if tree is None else tree


def _edit_level(base: Oid | None, edits: _Steps, read: Reader, write: Writer) -> Oid | None:
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
        oid = _edit_level(folder, below, read, write)
        if oid is None:
            level.pop(name, None)
        else:
            level[name] = Entry(TREE, oid)
    return write(serialize_tree(level)) if level else None


def diff_trees(old: Oid | None, new: Oid | None, read: Reader, at: str = "") -> list[Change]:
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
        found += diff_trees(trees[0], trees[1], read, path + "/")
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
