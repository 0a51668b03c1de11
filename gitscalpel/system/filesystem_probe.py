"""Try out the abilities of a directory's file system with files and locks, then remove the traces."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import msgspec

from gitscalpel.system import private_files, repo_lock

PROBE_PREFIX = "doctor."
"""How the names of folders begin in which things are tried out: no scratch, since locks may not work."""


_SOME = b"x" * 65_536
"""A full disk still makes empty files."""


class FileSystem(msgspec.Struct, frozen=True):
    """What files and locks do in a folder.

    Attributes:
        ignores_case: two names that differ in case alone are one file.
        symlinks: links can be made.
        executable_bits: whether a file is executable is kept.
        locks: a second holder of a file lock is refused.
    """

    ignores_case: bool
    symlinks: bool
    executable_bits: bool
    locks: bool


def probe_directory(folder: Path) -> FileSystem:
    """Try it out in ``folder``, which is made if need be.

    Raises:
        OSError: nothing can be written there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=PROBE_PREFIX, dir=folder))
    try:
        file = place / "Case"
        file.write_bytes(_SOME)
        private_files.sync(file)
        file.chmod(0o755)
        executable = bool(file.stat().st_mode & 0o111)
        file.chmod(0o644)
        executable = executable and not file.stat().st_mode & 0o111
        with suppress(OSError):
            (place / "link").symlink_to("Case")
        return FileSystem(
            ignores_case=(place / "case").exists(),
            symlinks=(place / "link").is_symlink(),
            executable_bits=executable,
            locks=_locks(place / "lock"),
        )
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _locks(file: Path) -> bool:
    try:
        with repo_lock.attempt(file) as first, repo_lock.attempt(file) as second:
            return first is not None and second is None
    except OSError:
        return False


def can_write(folder: Path) -> bool:
    """Whether something can be made in a folder, or in the nearest one above that is there."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
