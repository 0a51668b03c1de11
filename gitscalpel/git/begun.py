"""A file put into the work tree for its user to fill in, and taken away as long as he has not."""

from __future__ import annotations

import os
from pathlib import Path

from gitscalpel.failpoint import step


def write(file: Path, text: str) -> bool:
    """Make a file; False: something is there, and stays. An empty one is what a killed call has left."""
    if os.path.lexists(file) and (file.is_symlink() or not file.is_file() or file.stat().st_size):
        return False
    step()
    with os.fdopen(
        os.open(file, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666), "wb"
    ) as new:
        new.write(text.encode())
    return True


def remove(file: Path, text: str) -> bool:
    """Take it away; False: it is not as it was made."""
    if file.is_symlink() or not file.is_file() or file.read_bytes() != text.encode():
        return False
    step()
    file.unlink()
    return True
