"""Writes new objects as one pack: three syncs, however many they are.

The formats of both its files: https://git-scm.com/docs/gitformat-pack.
No deltas: who repacks makes them. The pack gets its name before its index does, and git looks for indexes.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from gitscalpel.changesets.file_tree import Oid, object_hash
from gitscalpel.git import keeping, temporary
from gitscalpel.system import private_files, shared_repository

_KINDS = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}
_FASTEST = 1
_LARGE = 1 << 31
"""Offsets from which an index has a table of its own for them."""


@contextmanager
def written(objects: Path, object_format: str, new: Mapping[Oid, tuple[str, bytes]]) -> Iterator[None]:
    """Write objects, durably, all or none; nobody's repack takes them while the block gives them a name.

    Args:
        objects: the repository's folder of objects.
        object_format: ``sha1`` or ``sha256``.
        new: kind and content of each.
    """
    parts, rows = [struct.pack(">4sII", b"PACK", 2, len(new))], []
    at = len(parts[0])
    for oid, (kind, content) in new.items():
        entry = _header(_KINDS[kind], len(content)) + zlib.compress(content, _FASTEST)
        rows.append((bytes.fromhex(oid), zlib.crc32(entry), at))
        parts.append(entry)
        at += len(entry)
    parts.append(object_hash(object_format, *parts).digest())
    folder = objects / "pack"
    if not folder.exists():
        shared_repository.make_folder(folder)
        private_files.sync(objects)
    name = f"pack-{parts[-1].hex()}"
    index = _index(object_format, sorted(rows), parts[-1])
    with keeping.kept(folder / f"{name}.pack"):
        _install(folder, {f"{name}.pack": ("pack", parts), f"{name}.idx": ("idx", index)})
        yield


def _install(folder: Path, contents: Mapping[str, tuple[str, list[bytes]]]) -> None:
    """Put files into a folder, in this order, durably."""
    pending: dict[str, Path] = {}
    with temporary.gone_if_failing(pending.values()):
        for name, (kind, parts) in contents.items():
            pending[name] = temporary.write(folder, kind, parts)
            private_files.sync(pending[name])
        for name, file in pending.items():
            file.rename(folder / name)
        private_files.sync(folder)


def _header(kind: int, size: int) -> bytes:
    """Kind and size of an entry: seven bits of the size in a byte, but four in the first."""
    said = bytearray([kind << 4 | size & 15])
    size >>= 4
    while size:
        said[-1] |= 0x80
        said.append(size & 0x7F)
        size >>= 7
    return bytes(said)


def _index(object_format: str, rows: list[tuple[bytes, int, int]], pack: bytes) -> list[bytes]:
    """An index of version 2; ``rows`` are id, checksum and offset of each entry, in the order of ids."""
    upto = [0] * 256
    for oid, _, _ in rows:
        upto[oid[0]] += 1
    for first in range(1, 256):
        upto[first] += upto[first - 1]
    large = [offset for _, _, offset in rows if offset >= _LARGE]
    near = [offset if offset < _LARGE else _LARGE | large.index(offset) for _, _, offset in rows]
    parts = [
        b"\xfftOc" + struct.pack(">I256I", 2, *upto),
        *(oid for oid, _, _ in rows),
        struct.pack(f">{len(rows)}I", *(crc for _, crc, _ in rows)),
        struct.pack(f">{len(rows)}I", *near),
        struct.pack(f">{len(large)}Q", *large),
        pack,
    ]
    return [*parts, object_hash(object_format, *parts).digest()]
