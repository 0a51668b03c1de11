"""The programs that a command line names, as far as they are there."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path


def site_packages(line: str) -> Iterator[Path]:
    """Of the Python that is active, that whose programs a command line names, and the user's own."""
    folders = [
        file.parent for program in named(f"python3 python {line}") for file in (program, program.resolve())
    ]
    for prefix in dict.fromkeys([*(folder.parent for folder in folders), Path.home() / ".local"]):
        yield from sorted(prefix.glob("lib/python3*/site-packages"))


def named(line: str) -> Iterator[Path]:
    """The files of the words that are programs, in the order in which they stand there."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        words = line.split()
    found = (shutil.which(word.strip(";&|()")) for word in words if word and "=" not in word)
    return (Path(file) for file in dict.fromkeys(found) if file)
