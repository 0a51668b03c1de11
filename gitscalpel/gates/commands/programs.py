"""The programs and files outside of the tree that a command line names, as far as they are there."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from itertools import pairwise
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
    found = (shutil.which(word) for word in _words(line) if word and "=" not in word)
    return (Path(file) for file in dict.fromkeys(found) if file)


def read(line: str) -> Iterator[Path]:
    """The files that its words name by their full names: scripts, and in ``--config=…`` configurations.

    What it prints into is not among them.
    """
    words = _words(line)
    told = (word for before, word in pairwise(["", *words]) if not before.endswith(">"))
    names = (os.path.expanduser(os.path.expandvars(word.rpartition("=")[2])) for word in told)  # noqa: PTH111
    return (Path(name) for name in dict.fromkeys(names) if name.startswith("/") and os.path.isfile(name))  # noqa: PTH113


def _words(line: str) -> list[str]:
    """As the shell tells them apart; ``;``, ``&&``, ``>`` and the like are words of their own."""
    try:
        words = shlex.shlex(line, posix=True, punctuation_chars=True)
        words.whitespace_split = True
        return list(words)
    except ValueError:
        return line.split()
