"""Whether what has been imported is what stands on the disk: an installation may change under a server."""

from __future__ import annotations

import os
import site
import sys
from pathlib import Path

Known = list[tuple[int, int]]
"""Of each file, its inode, and when it was changed in nanoseconds."""


def _looked_at() -> list[str]:
    """An installer replaces our folder, and writes names beside it; who works on us, single files."""
    package = Path(__file__).parent.parent
    is_installed = any(package.parent.glob("gitscalpel-*.dist-info"))
    own = [package] if is_installed else [*package.rglob("*.py")]
    installed = [*site.getsitepackages(), site.getusersitepackages()]
    return [str(Path(sys.executable).resolve()), *installed, *map(str, own)]


_LOOKED_AT = _looked_at()


def look() -> Known:
    """The interpreter, where packages are installed, and our own files, as they are now."""
    return [_seen(file) for file in _LOOKED_AT]


def _seen(file: str) -> tuple[int, int]:
    try:
        found = os.stat(file)  # noqa: PTH116 - pathlib would take longer than the system
    except OSError:
        return (0, 0)
    return (found.st_ino, found.st_mtime_ns)
