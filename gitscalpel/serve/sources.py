"""Whether what has been imported is what stands on the disk: an installation may change under a server."""

from __future__ import annotations

import os
import sys
from pathlib import Path

Known = list[tuple[int, int]]
"""Of each file, its inode, and when it was changed in nanoseconds."""


def _looked_at() -> list[str]:
    """An installer replaces a folder that it has written its name beside; who works on us, single files."""
    package = Path(__file__).parent.parent
    written = list(package.parent.glob("gitscalpel-*.dist-info"))
    files = [package, *written] if written else package.rglob("*.py")
    return [str(Path(sys.executable).resolve()), *map(str, files)]


_LOOKED_AT = _looked_at()


def look() -> Known:
    """The interpreter and our own files as they are now."""
    return [_seen(file) for file in _LOOKED_AT]


def _seen(file: str) -> tuple[int, int]:
    try:
        found = os.stat(file)  # noqa: PTH116 - some hundreds, for each call
    except OSError:
        return (0, 0)
    return (found.st_ino, found.st_mtime_ns)
