"""A file put into the work tree for its user to fill in, and taken away as long as he has not."""

from __future__ import annotations

import os
from pathlib import Path

from gitscalpel.system import private_files
from gitscalpel.system.failpoint import step


def write(file: Path, text: str, folder: Path) -> bool:
    """Make a file, whole or not at all; False: something is there, and stays.

    Args:
        file: its name.
        text: what it says.
        folder: where it is written before it gets that name; cleared away by whoever heals.
    """
    if os.path.lexists(file):
        return False
    new = folder / "begun"
    private_files.write(new, text.encode(), durable=True)
    step()
    try:
        os.link(new, file)
    except FileExistsError:
        return False
    except OSError:  # another file system, or one without links
        if not _written(file, text):
            return False
    private_files.sync(file.parent)
    return True


def _written(file: Path, text: str) -> bool:
    try:
        fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except FileExistsError:
        return False
    with os.fdopen(fd, "wb") as new:
        new.write(text.encode())
    return True


def remove(file: Path, text: str) -> bool:
    """Take it away; False: it is not as it was made."""
    if file.is_symlink() or not file.is_file() or file.read_bytes() != text.encode():
        return False
    step()
    file.unlink()
    return True
