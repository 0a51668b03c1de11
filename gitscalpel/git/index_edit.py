"""Puts other blobs into entries of an index, where it is of the plain kind; else git does it.

An entry keeps its length, so the file is changed in place: its object, an empty status, the folders in its
cache of trees that are no longer right (https://git-scm.com/docs/index-format), and its checksum.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from gitscalpel.changesets.file_tree import Entry
from gitscalpel.git import index_file, stats
from gitscalpel.git.repository import Repository

_LEFT_ALONE = (b"TREE", b"REUC", b"UNTR")
"""Extensions beside which nothing has to change where an entry has another object."""
_TREES = b"TREE"
_ALIGNED = 8
_NODE = re.compile(rb"([^\0]*)\0(-?\d+) (\d+)\n")
Change = tuple[str, Entry | None, str]


def replaced(repo: Repository, changes: Sequence[Change]) -> tuple[bytes, int] | None:
    """The index with other objects in some of its entries, and the time that its file is to have.

    A file that was changed in the very moment in which the index was written is only told from an unchanged
    one by the index's time (https://git-scm.com/docs/racy-git), so it is nearly the one that it had.

    Returns:
        None: it takes git to do that.
    """
    content = index_file.plain(repo)
    if not content:
        return None
    width = 32 if repo.object_format == "sha256" else 20
    time = (repo.git_dir / "index").stat().st_mtime_ns
    if stats.time(time) in content:
        return None
    places = index_file.places(repo, content, [path for path, _, _ in changes])
    edited = bytearray(content)
    for path, entry, flags in changes:
        at = None if places is None else places.get(path)
        if at is None or entry is None or flags != index_file.TRACKED:
            return None
        status = stats.packed(entry, None)
        edited[at : at + len(status) + width] = status + bytes.fromhex(entry.oid)
    names = [os.fsencode(path) for path, _, _ in changes]
    if not _forget(edited, len(content) - width, width, names):
        return None
    stats.seal(edited, width)
    return bytes(edited), time + 1


def _forget(content: bytearray, end: int, width: int, names: Sequence[bytes]) -> bool:
    """Mark the trees above some files as not known; False: the extensions are not what they should be."""
    said = [at for at in _found(content, _TREES) if (at - index_file.HEADER) % _ALIGNED == 0]
    at = next((at for at in said if _size(content, at) and _ends(content, at, end)), None)
    if at is None:
        return not said  # it may be a name
    size = _size(content, at)
    folders = {name[:slash] for name in names for slash, sign in enumerate(name) if sign == ord("/")} | {b""}
    rows = _nodes(bytes(content[at + 8 : at + 8 + size]), width, folders)
    if rows is None:
        return False
    content[at + 4 : at + 8 + size] = len(rows).to_bytes(4, "big") + rows
    return True


def _ends(content: bytearray, at: int, end: int) -> bool:
    """Whether extensions, one behind the other, go from here to the checksum."""
    while at < end and content[at : at + 4] in _LEFT_ALONE:
        at += 8 + _size(content, at)
    return at == end


def _found(content: bytearray, what: bytes) -> Iterator[int]:
    at = content.find(what)
    while at >= 0:
        yield at
        at = content.find(what, at + 1)


def _size(content: bytearray, extension: int) -> int:
    return int.from_bytes(content[extension + 4 : extension + 8], "big")


def _nodes(trees: bytes, width: int, stale: set[bytes]) -> bytes | None:
    """The cache of trees, each before those in it, without what it knew of ``stale``; None: it is torn."""
    rows: list[bytes] = []
    above: list[tuple[bytes, int]] = []
    at = 0
    while at < len(trees):
        node = _NODE.match(trees, at)
        if node is None:
            return None
        name, count, below = node[1], int(node[2]), int(node[3])
        at = node.end() + (width if count >= 0 else 0)
        while above and not above[-1][1]:
            above.pop()
        path = name
        if above:
            folder, left = above[-1]
            above[-1] = folder, left - 1
            path = folder + b"/" + name if folder else name
        above.append((path, below))
        rows.append(name + b"\0-1 " + node[3] + b"\n" if path in stale else trees[node.start() : at])
    return b"".join(rows) if at == len(trees) else None


def write(copy: Path, content: bytes, time: int) -> bool:
    """Write an index; False: the file system does not keep the time that it is to have."""
    copy.write_bytes(content)
    os.utime(copy, ns=(time, time))
    return copy.stat().st_mtime_ns == time
