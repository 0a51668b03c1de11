"""Reads a TARGET of the command line: ``PATH``, ``PATH::SYMBOL`` or ``PATH:LINES``."""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from typing import Any

from gitscalpel.git.repository import Repository

_LINES = re.compile(r"(?P<path>.+?):(?P<lines>-?[0-9][^:/]*(?::\w*)?(?:-[0-9]+(?::[^:@/]*)?)?(?:@[^:/]*)?)\Z")


def read(target: str, repo: Repository, query: str | None = None, match: int | None = None) -> dict[str, Any]:
    """The address fields of an operation, as they were written."""
    address: dict[str, Any] = {}
    path, double, symbol = target.partition("::")
    lines = None if double else _LINES.match(target)
    if double:
        address["symbol"] = symbol
    elif lines:
        path = lines["path"]
        address["start"] = lines["lines"]
    if query is not None:
        address["query"] = query
    if match is not None:
        address["match"] = match
    return {"path": from_root(path, repo), **address}


def from_root(path: str, repo: Repository) -> str:
    """A path of the command line, relative to the repository's root."""
    if repo.work_tree is not None and path.startswith("/"):
        inside = os.path.relpath(Path(path).parent.resolve() / Path(path).name, repo.work_tree.resolve())
        return path if inside.startswith("..") else inside.replace(os.sep, "/")
    joined = repo.prefix + path
    # A symlink's ".." is resolved against the tree, later; here only what is plain is made plain.
    return posixpath.normpath(joined) if path not in ("", ".") else repo.prefix.rstrip("/")
