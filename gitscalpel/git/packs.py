"""Reads packed objects without a process: https://git-scm.com/docs/gitformat-pack, indexes of version 2.

What is not found here may be anywhere else, or damaged: whoever asks then asks git, which says why.
"""

from __future__ import annotations

import mmap
import os
import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git.loose import object_id

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
        return _read(self._packs.values(), oid) or _read(self._come(), oid)

    def _come(self) -> list[_Pack | None]:
        """Those that have come since the last look, the newest first: what is asked for is mostly new."""
        with suppress(OSError), os.scandir(self._folder) as entries:
            files = [entry for entry in entries if entry.name.endswith(".idx")]
            files = [each for each in files if each.name not in self._packs]
            files.sort(key=lambda each: each.stat().st_mtime_ns, reverse=True)
            come = {file.name: _opened(file.path) for file in files}
            self._packs = {**come, **self._packs}
            return [*come.values()]
        return []


class _Pack:
    """One pack, which is never changed: who has it open reads on, even where it is removed."""

    def __init__(self, index: str) -> None:
        self._index = _mapped(index)
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
                return _KINDS[kind], _on(packed, deltas) if deltas else packed
            deltas.append(packed)
            at = base
        raise ValueError

    def _entry(self, at: int) -> tuple[int, int, bytes]:
        """The number of its kind, where its base begins, and what is packed there."""
        if self._content is None:
            self._content = _mapped(self._path)
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


def _read(packs: Iterable[_Pack | None], oid: Oid) -> tuple[str, bytes] | None:
    name = bytes.fromhex(oid)
    for pack in packs:
        with suppress(*_UNREADABLE):
            found = pack and pack.read(name)
            if found and object_id("sha1", *found) == oid:
                return found
    return None


def _opened(index: str) -> _Pack | None:
    with suppress(*_UNREADABLE):
        return _Pack(index)
    return None


def _on(base: bytes, deltas: list[bytes]) -> bytes:
    """What the last of deltas makes of a base, the one before it of that, and so on."""
    from gitscalpel.git.deltas import applied  # what was written last lies whole

    for delta in reversed(deltas):
        base = applied(base, delta)
    return base


def _mapped(path: str) -> memoryview:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return memoryview(mmap.mmap(file, 0, access=mmap.ACCESS_READ))
    finally:
        os.close(file)
