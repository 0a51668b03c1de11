"""Objects and refs read from the repository's files: loose, packed, deltas, packed refs.

Short-lived processes use it to read without starting git. For a few objects that is faster than git; for
many in long chains of deltas, git is faster. What is not found may be somewhere else or damaged, so the
caller then asks git, which reports the reason.

Packs have indexes of version 2 (https://git-scm.com/docs/gitformat-pack), and refs are in the usual
files (https://git-scm.com/docs/gitrepository-layout).
"""

from __future__ import annotations

import mmap
import os
import re
import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git.loose_objects import LooseObjects, object_id
from gitscalpel.git.object_reader import OBJECT_ID, Object, Unclear
from gitscalpel.git.repository import Repository

_INDEX = b"\377tOc\0\0\0\2"
_FAN_OUT, _NAMES = 8, 8 + 256 * 4
"""Where the numbers of names stand, by their first byte, and where the names."""
_WIDTH = 20
"""Bytes of an id: those of SHA-256 are git's."""
_FAR = 1 << 31
"""Marks the place of an offset that is too large for four bytes."""
_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_BY_OFFSET, _BY_NAME = 6, 7
"""Deltas against what lies so far before it in the pack, or is called so."""
_DEEPEST = 5_000
"""Deltas on deltas; git makes no more than 4,095."""
_UNREADABLE = (OSError, ValueError, IndexError, zlib.error)


class Packs:
    """The packs in one folder of objects; the folder is looked at again where none has what is asked for.

    Args:
        objects: that folder.
    """

    def __init__(self, objects: Path) -> None:
        self._folder = str(objects / "pack")
        self._packs: dict[str, _Pack | None] = {}

    def read(self, oid: Oid) -> tuple[str, bytes] | None:
        """Kind and content of an object that is here and whole, or None."""
        return _read_object(self._packs.values(), oid) or _read_object(self._come(), oid)

    def _come(self) -> list[_Pack | None]:
        """Those that have come since the last look, the newest first: what is asked for is mostly new."""
        with suppress(OSError), os.scandir(self._folder) as entries:
            files = [entry for entry in entries if entry.name.endswith(".idx")]
            files = [each for each in files if each.name not in self._packs]
            files.sort(key=lambda each: each.stat().st_mtime_ns, reverse=True)
            come = {file.name: _open_pack(file.path) for file in files}
            self._packs = {**come, **self._packs}
            return [*come.values()]
        return []


class _Pack:
    """One pack, which is never changed: who has it open reads on, even where it is removed."""

    def __init__(self, index: str) -> None:
        self._index = _map_file(index)
        if self._index[:_FAN_OUT] != _INDEX:
            raise ValueError
        self._count = self._number(_FAN_OUT + 255 * 4)
        self._path = index.removesuffix("idx") + "pack"
        self._content: memoryview | None = None

    def read(self, name: bytes) -> tuple[str, bytes] | None:
        """What has a name; None: nothing. Raises what is in ``_UNREADABLE`` where it is damaged."""
        at = self._offset(name)
        if at is None:
            return None
        deltas: list[bytes] = []
        for _ in range(_DEEPEST):
            kind, base, packed = self._entry(at)
            if kind in _KINDS:
                return _KINDS[kind], _resolve_deltas(packed, deltas) if deltas else packed
            deltas.append(packed)
            at = base
        raise ValueError

    def _entry(self, at: int) -> tuple[int, int, bytes]:
        """The number of its kind, where its base begins, and what is packed there."""
        if self._content is None:
            self._content = _map_file(self._path)
        content = self._content
        start, byte = at, content[at]
        kind, size, shift = byte >> 4 & 7, byte & 15, 4
        while byte & 128:
            at += 1
            byte = content[at]
            size |= (byte & 127) << shift
            shift += 7
        at, base = at + 1, 0
        if kind == _BY_OFFSET:
            byte = content[at]
            base = byte & 127
            while byte & 128:
                at += 1
                byte = content[at]
                base = (base + 1) << 7 | byte & 127
            at, base = at + 1, start - base
        elif kind == _BY_NAME:
            found = self._offset(bytes(content[at : at + _WIDTH]))
            if found is None:
                raise ValueError
            at, base = at + _WIDTH, found
        # No more than this is packed of so much, so that what follows is not copied.
        most = size + (size >> 10) + 64
        packed = zlib.decompressobj().decompress(content[at : at + most], size + 1)
        if len(packed) != size or base < 0:
            raise ValueError
        return kind, base, packed

    def _offset(self, name: bytes) -> int | None:
        """Where in the pack the object of a name begins."""
        first = name[0]
        low = self._number(_FAN_OUT + (first - 1) * 4) if first else 0
        high = self._number(_FAN_OUT + first * 4)
        while low < high:
            middle = (low + high) // 2
            at = _NAMES + middle * _WIDTH
            found = self._index[at : at + _WIDTH].tobytes()
            if found == name:
                return self._place(middle)
            low, high = (middle + 1, high) if found < name else (low, middle)
        return None

    def _place(self, row: int) -> int:
        offsets = _NAMES + self._count * (_WIDTH + 4)  # behind the names there is a checksum of each
        place = self._number(offsets + row * 4)
        if place < _FAR:
            return place
        far = offsets + self._count * 4 + (place - _FAR) * 8
        return int.from_bytes(self._index[far : far + 8], "big")

    def _number(self, at: int) -> int:
        return int.from_bytes(self._index[at : at + 4], "big")


def _read_object(packs: Iterable[_Pack | None], oid: Oid) -> tuple[str, bytes] | None:
    name = bytes.fromhex(oid)
    for pack in packs:
        with suppress(*_UNREADABLE):
            found = pack and pack.read(name)
            if found and object_id("sha1", *found) == oid:
                return found
    return None


def _open_pack(index: str) -> _Pack | None:
    with suppress(*_UNREADABLE):
        return _Pack(index)
    return None


def _resolve_deltas(base: bytes, deltas: list[bytes]) -> bytes:
    """What the last of deltas makes of a base, the one before it of that, and so on."""
    for delta in reversed(deltas):
        base = apply_delta(base, delta)
    return base


def _map_file(path: str) -> memoryview:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return memoryview(mmap.mmap(file, 0, access=mmap.ACCESS_READ))
    finally:
        os.close(file)


def apply_delta(base: bytes, delta: bytes) -> bytes:
    """What a delta makes of its base.

    Raises:
        ValueError: it is none, or not of this base.
        IndexError: it is cut off.
    """
    wanted, at = _delta_size(delta, 0)
    if wanted != len(base):
        raise ValueError
    wanted, at = _delta_size(delta, at)
    parts = []
    while at < len(delta):
        word = delta[at]
        at += 1
        if word & 128:
            offset = size = 0
            for bit in range(4):
                if word >> bit & 1:
                    offset |= delta[at] << 8 * bit
                    at += 1
            for bit in range(3):
                if word >> 4 + bit & 1:
                    size |= delta[at] << 8 * bit
                    at += 1
            parts.append(base[offset : offset + (size or 1 << 16)])
        else:
            parts.append(delta[at : at + word])
            at += word
    made = b"".join(parts)
    if len(made) != wanted:
        raise ValueError
    return made


def _delta_size(delta: bytes, at: int) -> tuple[int, int]:
    size = shift = 0
    while True:
        byte = delta[at]
        at += 1
        size |= (byte & 127) << shift
        shift += 7
        if not byte & 128:
            return size, at


_PLAIN = re.compile(r"refs/(?:heads|tags|remotes|notes|scalpel)(?:/(?!-)\w[\w-]*(?:\.\w[\w-]*)*)+", re.ASCII)
"""Names that a file has as it is, in whatever file system, and that all worktrees share."""
_STEPS = 5
"""So many names may stand for each other, for git too."""


class RefFiles:
    """The refs of a repository that keeps them in files.

    Args:
        git_dir: of the worktree, which has its own HEAD.
        common_dir: where the refs are.
    """

    def __init__(self, git_dir: Path, common_dir: Path) -> None:
        self._head = git_dir / "HEAD"
        self._common_dir = common_dir
        self._packed: tuple[tuple[int, int, int], bytes] | None = None

    def value(self, name: str) -> Oid | None:
        """The id that ``HEAD`` or a ref named in full stands for; None: there is no such ref.

        Raises:
            Unclear: git is to be asked.
        """
        for _ in range(_STEPS):
            said = self._said(name)
            if said is None:
                return None
            if OBJECT_ID.fullmatch(said):
                return Oid(said)
            if not said.startswith("ref: refs/"):
                break
            name = said.removeprefix("ref: ")
        raise Unclear

    def _said(self, name: str) -> str | None:
        if name == "HEAD":
            file = self._head
        elif _PLAIN.fullmatch(name) and not name.endswith(".lock"):
            file = self._common_dir / name
        else:
            raise Unclear
        try:
            if file.is_symlink():
                raise Unclear
            return file.read_bytes().decode("ascii").rstrip("\n")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return self._in_packed(name)
        except (OSError, UnicodeDecodeError):
            raise Unclear from None

    def _in_packed(self, name: str) -> str | None:
        """What the file of packed refs says, which git fills before it removes the file of a ref."""
        content = self._read_packed()
        at = content.find(b" %s\n" % name.encode("ascii"))
        if at < 0:
            return None
        return content[content.rindex(b"\n", 0, at) + 1 : at].decode("ascii", "replace")

    def _read_packed(self) -> bytes:
        """That file, which is never changed but replaced."""
        file = self._common_dir / "packed-refs"
        try:
            found = file.stat()
            version = (found.st_ino, found.st_mtime_ns, found.st_size)
            if self._packed is None or self._packed[0] != version:
                self._packed = version, b"\n" + file.read_bytes()
        except FileNotFoundError:
            return b""
        return self._packed[1]


_ROOM = 1 << 20
"""Bytes of objects that are kept: a call asks for some of them again and again."""


class FileObjects:
    """A :class:`gitscalpel.git.object_reader.ObjectSource`."""

    at_once = 32

    def __init__(self, repo: Repository) -> None:
        self._packs = Packs(repo.objects)
        self._loose = LooseObjects(repo.objects, "sha1")
        self._refs = RefFiles(repo.git_dir, repo.common_dir)
        self._kept: dict[Oid, Object] = {}
        self._room = _ROOM

    def find(self, oid: Oid) -> Object | None:
        """See :meth:`gitscalpel.git.object_reader.ObjectSource.find`."""
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
        """See :meth:`gitscalpel.git.object_reader.ObjectSource.ref`."""
        return self._refs.value(name)

    def close(self) -> None:
        """See :meth:`gitscalpel.git.object_reader.ObjectSource.close`."""
        self._kept.clear()


def can_read(repo: Repository) -> bool:
    """Whether ids and refs are such as are read here."""
    is_in_files = repo.config.get("extensions.refstorage", "files") == "files"
    return repo.object_format == "sha1" and is_in_files
