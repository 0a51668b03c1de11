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
from itertools import count
from pathlib import Path

_MADE: dict[object, Path] = {}
_NUMBERS = count()
_USUAL = 0o644


def first_made(what: object, make: Callable[[Path], object], root: Path) -> None:
    """Have at ``root`` what ``make`` makes, a copy of what it made first; a checkout is to be refreshed.

    What git makes of it may hang on its variables and on the bits that new files get.
    """
    os.umask(mask := os.umask(0))
    key = what, mask, *sorted(pair for pair in os.environ.items() if pair[0].startswith("GIT_"))
    if key not in _MADE:
        original = _place() / str(next(_NUMBERS))
        make(original)
        _MADE[key] = original
    _copy(os.fspath(_MADE[key]), os.fspath(root))


def copied(original: Path, root: Path) -> None:
    """Copy a repository with its checkout."""
    _copy(os.fspath(original), os.fspath(root))
    refresh(root)


def refresh(root: Path) -> None:
    """Have a checkout that is a copy be as clean to git as the original was."""
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
