"""The programs that a command line names, as far as they are there."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path


def named(line: str) -> Iterator[Path]:
    """The files of the words that are programs, in the order in which they stand there."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        words = line.split()
    found = (shutil.which(word.strip(";&|()")) for word in words if word and "=" not in word)
    return (Path(file) for file in dict.fromkeys(found) if file)
