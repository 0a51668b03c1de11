"""Digest of our own code, on which every cached answer depends."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path


@cache
def code_key() -> bytes:
    """Return the digest of our code, its grammars and the interpreter."""
    found = blake2b(sys.version.encode(), digest_size=32)
    for path in _iter_code_files():
        status = os.stat(path)  # noqa: PTH116 - some hundreds
        found.update(
            f"{path}\0{status.st_ino} {status.st_size} {status.st_mtime_ns}\0".encode("utf-8", "replace")
        )
    return found.digest()


def _iter_code_files() -> Iterator[str]:
    for here, folders, names in os.walk(Path(__file__).parent.parent):
        folders[:] = sorted(folder for folder in folders if folder != "__pycache__")
        yield from (f"{here}/{name}" for name in sorted(names))
    for name in ("tree_sitter", "tree_sitter_language_pack"):
        spec = find_spec(name)
        yield from (spec.submodule_search_locations or ()) if spec else ()
