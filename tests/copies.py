"""Repositories that git makes once: each test that begins with the same one gets a copy.

A copy costs a third of what ``git init`` and ``git commit`` do.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

_MADE: dict[object, Path] = {}
_USUAL = 0o644


def first_made(key: object, make: Callable[[Path], object], root: Path) -> None:
    """Have at ``root`` what ``make`` makes; of those with one key the first is made, and each is its copy."""
    if key not in _MADE:
        original = _place() / str(len(_MADE))
        make(original)
        _MADE[key] = original
    copied(_MADE[key], root)


def copied(original: Path, root: Path) -> None:
    """Copy a repository with its checkout, which is as clean to git as that one was."""
    _copy(os.fspath(original), os.fspath(root))
    subprocess.run(["git", "update-index", "-q", "--refresh"], cwd=root, check=True)


def _copy(original: str, to: str) -> None:
    """Names, kinds, contents and bits: of times git is told anew."""
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
