"""Tells a fresh index entry which file on the disk it describes.

``update-index --index-info`` leaves the file status of an entry empty, and
git would read the file to see that it is unchanged; commands that do not
refresh (``git apply --index``, ``git diff-files``) would call it modified. Filling it in
with ``update-index --refresh`` asks for every file of the repository.

The format: https://git-scm.com/docs/index-format. Only an entry that looks
exactly as git has just written it is touched; elsewhere (version 4, split
index) it stays empty, which is slower and as right.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from pathlib import Path

from gitscalpel.changesets.file_tree import Entry, object_hash

_STATUS = struct.Struct(">10I")
_LONGEST_NAME = 0xFFF


def fill(index: Path, known: Mapping[str, tuple[Entry, os.stat_result]], kept: int | None = None) -> None:
    """Fill in the status of the entries in ``known``, in place.

    Args:
        index: an index file that nobody else writes.
        known: path → its entry and the status of the file that has this content.
        kept: the time that the index is to have; None: now.
    """
    if not known:
        return
    content = bytearray(index.read_bytes())
    if bytes(content[:8]) not in (b"DIRC\0\0\0\2", b"DIRC\0\0\0\3"):
        return
    at = 12
    for path, (entry, status) in sorted(known.items(), key=lambda item: os.fsencode(item[0])):
        name = os.fsencode(path)
        tail = struct.pack(">H", min(len(name), _LONGEST_NAME)) + name + b"\0"
        empty = packed(entry, None) + bytes.fromhex(entry.oid) + tail
        found = content.find(empty, at)
        if found >= 0:
            content[found : found + _STATUS.size] = packed(entry, status)
            at = found + len(empty)
    seal(content, len(next(iter(known.values()))[0].oid) // 2)
    index.write_bytes(content)
    if kept is not None:
        os.utime(index, ns=(kept, kept))


def time(nanoseconds: int) -> bytes:
    """A time, as an entry has it."""
    return struct.pack(">2I", *(part & 0xFFFFFFFF for part in divmod(nanoseconds, 10**9)))


def packed(entry: Entry, status: os.stat_result | None) -> bytes:
    """What an entry says of a file; None: nothing, so that git looks."""
    mode = int(entry.mode, 8)
    if status is None:
        return _STATUS.pack(0, 0, 0, 0, 0, 0, mode, 0, 0, 0)
    changed, modified = divmod(status.st_ctime_ns, 10**9), divmod(status.st_mtime_ns, 10**9)
    fields = (*changed, *modified, status.st_dev, status.st_ino, mode, status.st_uid, status.st_gid)
    return _STATUS.pack(*(field & 0xFFFFFFFF for field in (*fields, status.st_size)))


def seal(content: bytearray, width: int) -> None:
    """Write the checksum anew; all zeros means that the user does not want one (index.skipHash)."""
    if any(content[-width:]):
        content[-width:] = object_hash("sha256" if width == 32 else "sha1", content[:-width]).digest()
