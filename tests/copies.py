"""Copies of repositories that git makes once for all tests.

A copy costs a third of what ``git init`` and ``git commit`` do.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path

_MADE: dict[object, Path] = {}
_NUMBERS = count()
_USUAL = 0o644
_HEADER, _WHERE, _SIZE = struct.Struct(">4sII"), struct.Struct(">6I"), struct.Struct(">I")
"""Formats in git's index, see gitformat-index(5): header, time and identity of a file, and its size."""
_AT_SIZE, _ENTRY, _SUM, _WORD = 36, 62, 20, 0xFFFFFFFF
"""Bytes before an entry's size and its name, and of the checksum at the end."""


def first_made(what: object, make: Callable[[Path], object], root: Path) -> Path:
    """Put a copy of the first result of ``make`` at ``root``; the caller refreshes its checkout.

    The result may depend on git's variables and on the umask.

    Returns:
        Path of the first result.
    """
    os.umask(mask := os.umask(0))
    key = what, mask, *sorted(pair for pair in os.environ.items() if pair[0].startswith("GIT_"))
    if key not in _MADE:
        original = _place() / str(next(_NUMBERS))
        make(original)
        _MADE[key] = original
    _copy(os.fspath(_MADE[key]), os.fspath(root))
    return _MADE[key]


def copied(original: Path, root: Path) -> None:
    """Copy a repository with its checkout."""
    _copy(os.fspath(original), os.fspath(root))
    refresh(root, original)


def refresh(root: Path, original: Path) -> None:
    """Make the copy of a checkout as clean to git as the original was."""
    if not _refreshed(os.fsencode(root), os.fsencode(original)):
        subprocess.run(["git", "update-index", "-q", "--refresh"], cwd=root, check=True)


def _refreshed(root: bytes, original: bytes) -> bool:
    """Refresh a checkout without a process, and return False if its index or a file is unusual."""
    try:
        with open(root + b"/.git/index", "rb") as file:
            data = bytearray(file.read())
        signature, version, count = _HEADER.unpack_from(data)
        if (signature, version) != (b"DIRC", 2) or _sum(data) != data[-_SUM:]:
            return False
        at = _HEADER.size
        for _ in range(count):
            name = data[at + _ENTRY : data.index(0, at + _ENTRY)]
            if (*_WHERE.unpack_from(data, at), *_SIZE.unpack_from(data, at + _AT_SIZE)) != _seen(
                original + b"/" + name
            ):
                return False
            _WHERE.pack_into(data, at, *_seen(root + b"/" + name)[:-1])
            at += (_ENTRY + len(name) + 8) // 8 * 8
    except (OSError, ValueError, struct.error):
        return False
    data[-_SUM:] = _sum(data)
    with open(root + b"/.git/index", "wb") as file:
        file.write(data)
    return True


def _sum(data: bytes | bytearray) -> bytes:
    return hashlib.sha1(data[:-_SUM], usedforsecurity=False).digest()


def _seen(path: bytes) -> tuple[int, ...]:
    """Return the stat data of a file as an index entry has it: times, device, inode and size."""
    found = os.lstat(path)
    times = [part for when in (found.st_ctime_ns, found.st_mtime_ns) for part in divmod(when, 10**9)]
    return (*times, found.st_dev & _WORD, found.st_ino & _WORD, found.st_size & _WORD)


def _copy(original: str, to: str) -> None:
    """Copy names, kinds, contents and modes; ``refresh`` updates git's times."""
    os.makedirs(to, exist_ok=True)
    with os.scandir(original) as entries:
        for entry in entries:
            there = f"{to}/{entry.name}"
            if entry.is_symlink():
                os.symlink(os.readlink(entry.path), there)
            elif entry.is_dir():
                _copy(entry.path, there)
            else:
                with open(entry.path, "rb") as given, open(there, "wb") as taken:
                    taken.write(given.read())
                if (bits := entry.stat().st_mode & 0o777) != _USUAL:
                    os.chmod(there, bits)


@cache
def _place() -> Path:
    place = Path(tempfile.mkdtemp(prefix="originals."))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place
