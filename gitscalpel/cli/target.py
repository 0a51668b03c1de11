"""Reads a TARGET of the command line: ``PATH``, ``PATH::SYMBOL`` or ``PATH:LINES``."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitscalpel.api import NotAllowed, ScalpelError

if TYPE_CHECKING:
    from gitscalpel.api import Repository, View
    from gitscalpel.verbs.reply import Caller

_LINES = re.compile(r"(?P<path>.+?):(?P<lines>-?[0-9][^:/]*(?::\w*)?(?:-[0-9]+(?::[^:@/]*)?)?(?:@[^:/]*)?)\Z")

_NAMED = re.compile(r"(?P<path>.+?):(?P<line>[0-9]+):(?P<name>[^:]+)\Z")


def lines(where: str) -> str | None:
    """The lines that an address names, if it names any."""
    found = None if "::" in where else _LINES.match(where)
    return found["lines"] if found else None


def read(where: str, repo: Repository) -> dict[str, Any]:
    """The address fields of a request, as they were written."""
    path, double, symbol = where.partition("::")
    found = None if double else _LINES.match(where)
    if found:
        path = found["path"]
    address = {"symbol": symbol} if double else {"start": found["lines"]} if found else {}
    return {"path": _named_file(path, repo), **address}


def named(where: str, repo: Repository) -> dict[str, Any]:
    """The address fields of a request about a name, as they were written."""
    path, double, symbol = where.partition("::")
    found = None if double else _NAMED.match(where)
    if found:
        return {"path": _named_file(found["path"], repo), "start": int(found["line"]), "name": found["name"]}
    return {"path": _named_file(path, repo), **({"symbol": symbol} if double else {})}


@contextmanager
def meant(where: str | None, caller: Caller, view: Callable[[], View]) -> Iterator[None]:
    """Answer an address that means nothing with what it likely means in the files of ``view``."""
    try:
        yield
    except ScalpelError as error:
        if where is None:
            raise
        raise _explained(error, where, caller, view) from error


def _explained(error: ScalpelError, where: str, caller: Caller, view: Callable[[], View]) -> ScalpelError:
    from gitscalpel.cli import likely

    with suppress(ScalpelError, KeyError, OSError):  # the refusal itself must be told
        return likely.explained(error, where, view(), caller.repo.prefix)
    return error


def _named_file(path: str, repo: Repository) -> str:
    """The same of what is to be a file; the root, which is none, is named as it was."""
    return from_root(path, repo) or (path and ".")


def from_root(path: str, repo: Repository) -> str:
    """A path of the command line, relative to the repository's root; a slash at its end stays."""
    plain = _plain(path, repo)
    return f"{plain}/" if plain and path.endswith(("/", "/.")) and plain != path else plain


def _plain(path: str, repo: Repository) -> str:
    if repo.here is not None and path.startswith("/"):
        inside = os.path.relpath(Path(path).parent.resolve() / Path(path).name, repo.here.resolve())
        if inside == ".." or inside.startswith("../"):
            raise NotAllowed.outside(path)
        return inside.replace(os.sep, "/")
    joined = repo.prefix + path
    # A symlink's ".." is resolved against the tree, later; here only what is plain is made plain.
    plain = posixpath.normpath(joined) if path not in ("", ".") else repo.prefix.rstrip("/")
    return "" if plain == "." else plain
