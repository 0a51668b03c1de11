"""How a path stands in a note of ours: JSON holds no surrogates, so it is carried byte by byte."""

from __future__ import annotations

import os


def spelt(path: str | os.PathLike[str]) -> str:
    """A path of the file system as text of JSON."""
    return os.fsencode(path).decode("latin-1")


def read(text: str) -> str:
    """The path that :func:`spelt` was given."""
    return os.fsdecode(text.encode("latin-1"))
