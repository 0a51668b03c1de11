"""Objects as git stores them: read through one ``git cat-file`` process, and trees as values.

Trees are changed and compared level by level, so an edit in a tree of 80,000 files rewrites as many trees as
its path has directories.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import msgspec

from gitscalpel.changesets.file_tree import TREE, Change, Entry, Oid
from gitscalpel.errors import Damaged, InputOutput
from gitscalpel.git import process
from gitscalpel.git.object_writer import object_id
from gitscalpel.git.process import Git, git_error

if TYPE_CHECKING:
    from gitscalpel.git.process import Child


_BATCH_SIZE = 50  # requests that wait for git: 4 kB fit into every pipe, with more both sides could block


class Object(msgspec.Struct, frozen=True):
    """An object as git stores it."""

    oid: Oid
    kind: str
    content: bytes


class CatFile:
    """Reads objects through one ``git cat-file --batch-command -z``, which starts at the first question.

    The option ``-z`` came with the oldest supported git. So an older git fails here, and checking the version
    needs no process.
    """

    def __init__(self, git: Git) -> None:
        self._git = git
        self.process: Child[bytes] | None = None

    def __enter__(self) -> CatFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def get(self, spec: str) -> Object | None:
        """Return the object that ``spec`` names. None if it does not exist. Raises ``Damaged``."""
        with self._kill_if_interrupted():
            object_ = self._read_object(self._ask("contents", spec))
        if object_ is not None and not _is_sound(object_):
            raise Damaged(  # git detects this only in fsck
                "corrupt",
                f"the content of {object_.kind} {object_.oid} does not match its object id",
                "run `git fsck --full` and repair the objects that it reports",
            )
        return object_

    def several(self, oids: Sequence[Oid]) -> list[Object]:
        """Return the sound ones among several objects, requested in batches.

        Raises:
            Damaged: git cannot read one.
            InputOutput: one must be fetched, and the remote does not provide it.
        """
        objects: list[Object | None] = []
        for at in range(0, len(oids), _BATCH_SIZE):
            batch = oids[at : at + _BATCH_SIZE]
            with self._kill_if_interrupted():
                self._send("contents", *batch)
                objects += [self._read_object(self._read_header()) for _ in batch]
        return [each for each in objects if each is not None and _is_sound(each)]

    def resolve(self, spec: str) -> Oid | None:
        with self._kill_if_interrupted():
            header = self._ask("info", spec)
        return None if header is None else header[0]

    def close(self) -> None:
        """End the git process. The next question starts another."""
        child, self.process = self.process, None
        if child is not None:
            with child:
                pass

    @contextmanager
    def _kill_if_interrupted(self) -> Iterator[None]:
        """Kill git if the block is interrupted: the rest of its answer would be read as the next one."""
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
            return None  # not a valid name, and git would answer with several lines
        self._send(command, spec)
        return self._read_header()

    def _send(self, command: str, *specs: str) -> None:
        if self.process is None:
            self.process = self._git.start("cat-file", "--batch-command", "-z", apart=True)
        assert self.process.stdin is not None  # noqa: S101  it is a pipe
        with suppress(BrokenPipeError):  # reported where the answer is read
            for spec in specs:
                self.process.stdin.write(command.encode() + b" " + os.fsencode(spec) + b"\0")
            self.process.stdin.flush()

    def _read_header(self) -> tuple[Oid, str, int] | None:
        assert self.process is not None and self.process.stdout is not None  # noqa: S101, PT018
        header = self.process.stdout.readline()
        if not header:
            self._raise_exit_error()
        if header.endswith((b" missing\n", b" ambiguous\n")):
            return None
        oid, kind, size = header.decode("ascii").split()
        return Oid(oid), kind, int(size)

    def _read_object(self, header: tuple[Oid, str, int] | None) -> Object | None:
        if header is None:
            return None
        oid, kind, size = header
        return Object(oid, kind, self._read_bytes(size + 1)[:-1])

    def _read_bytes(self, size: int) -> bytes:
        assert self.process is not None and self.process.stdout is not None  # noqa: S101, PT018
        content = self.process.stdout.read(size)
        if len(content) != size:
            self._raise_exit_error()
        return content

    def _raise_exit_error(self) -> None:
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
                f"an object is missing, and the promisor remote does not provide it: {err}",
                "try again when the remote can be reached; `git fetch` reports the cause",
            )
        if child.returncode == 128:
            raise Damaged(
                "corrupt",
                f"git cannot read an object: {err}",
                "run `git fsck --full` and repair the objects that it reports",
            )
        raise git_error("cat-file", child.returncode, err)


def _is_sound(object_: Object) -> bool:
    return (
        object_id("sha256" if len(object_.oid) == 64 else "sha1", object_.kind, object_.content)
        == object_.oid
    )


Level = dict[str, Entry]
Reader = Callable[[Oid], Level]
Writer = Callable[[bytes], Oid]
_Steps = list[tuple[list[str], Entry | None]]


def parse_tree(content: bytes, hash_size: int) -> Level:
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
    """Return a tree object. Git sorts by bytes, a directory as if its name ended in a slash."""
    rows = [(os.fsencode(name), entry) for name, entry in level.items()]
    rows.sort(key=lambda row: row[0] + b"/" if row[1].mode == TREE else row[0])
    return b"".join(
        b"%s %s\0%s" % (entry.mode.lstrip("0").encode(), name, bytes.fromhex(entry.oid))
        for name, entry in rows
    )


def edit_tree(
    base: Oid | None, edits: Iterable[tuple[str, Entry | None]], read: Reader, write: Writer
) -> Oid:
    """Write the tree ``base`` with some paths changed, and return its id.

    A file replaces a directory and the reverse. A directory without files disappears. Removing ``a`` and
    adding ``a/b`` in one call works.
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
        subtree = level.get(name)
        folder = subtree.oid if subtree is not None and subtree.mode == TREE else None
        if folder is None and all(entry is None for _, entry in below):
            continue  # nothing to remove; a file of that name stays
        oid = _edit_level(folder, below, read, write)
        if oid is None:
            level.pop(name, None)
        else:
            level[name] = Entry(TREE, oid)
    return write(serialize_tree(level)) if level else None


def diff_trees(old: Oid | None, new: Oid | None, read: Reader, at: str = "") -> list[Change]:
    """Return the changed files between two trees in tree order. Equal directories are not read."""
    if old == new:
        return []
    before, after = read(old) if old else {}, read(new) if new else {}
    changes: list[Change] = []
    for name in {**before, **after}:
        old_entry, new_entry = before.get(name), after.get(name)
        if old_entry == new_entry:
            continue
        path = at + name
        trees = [
            entry.oid if entry is not None and entry.mode == TREE else None
            for entry in (old_entry, new_entry)
        ]
        files = [None if entry is None or entry.mode == TREE else entry for entry in (old_entry, new_entry)]
        if files != [None, None]:
            changes.append(Change(path, files[0], files[1]))
        changes += diff_trees(trees[0], trees[1], read, path + "/")
    return sorted(changes, key=lambda change: os.fsencode(change.path)) if not at else changes


CACHED_ENTRIES = 100_000  # maximum number of cached entries; one takes about 300 bytes
# Number of cached trees kept at any size: the directories above a file are read again and again.
MIN_LEVELS = 4


class LevelCache:
    """Least recently used cache of trees by id. Trees never change, so entries stay valid."""

    def __init__(self, rows: int = CACHED_ENTRIES, fewest: int = MIN_LEVELS) -> None:
        self._limit = rows
        self._min_levels = fewest
        self._rows = 0
        self._levels: OrderedDict[Oid, Level] = OrderedDict()

    def get(self, oid: Oid) -> Level | None:
        level = self._levels.get(oid)
        if level is not None:
            self._levels.move_to_end(oid)
        return level

    def put(self, oid: Oid, level: Level) -> None:
        if oid not in self._levels:
            self._levels[oid] = level
            self._rows += len(level)
        while self._rows > self._limit and len(self._levels) > self._min_levels:
            self._rows -= len(self._levels.popitem(last=False)[1])
