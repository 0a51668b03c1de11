"""How a module is called in an import of another file."""

from __future__ import annotations

from collections.abc import Iterable

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import modules
from gitscalpel.meaning.python.importing.statements import Statement
from gitscalpel.meaning.python.moving import rooted

_INIT = ("__init__.py", "__init__.pyi")


def dotted(files: Files, path: str, by: str = "") -> str:
    """The whole name of a module: from the folder above its outermost package.

    Where ``by``, the path of a file that imports it, does not look into that folder, from one above.
    """
    folder, _, last = path.rpartition("/")
    parts = [] if last in _INIT else [last.rpartition(".")[0]]
    root = rooted.root(files, folder, by)
    searched = set(modules.roots(files, by)) - rooted.inside(files, by) if by else {root}
    while folder and (len(folder) > len(root) or folder not in searched):
        parts.insert(0, folder.rpartition("/")[2])
        folder = folder.rpartition("/")[0]
    return ".".join(parts)


def relative(files: Files, path: str, other: str) -> str | None:
    """The module ``other`` as ``path`` names it by its place; None where that leads out of its package."""
    here, there = path.split("/")[:-1], rooted.parts(other)
    shared = 0
    while shared < min(len(here), len(there)) and here[shared] == there[shared]:
        shared += 1
    if shared <= _above_package(files, here):
        return None
    return "." * (len(here) - shared + 1) + ".".join(there[shared:])


def _above_package(files: Files, here: list[str]) -> int:
    """How many folders are above the outermost package; of a folder that is none, 0."""
    depth = len(here)
    while depth and rooted.is_package(files, "/".join(here[:depth])):
        depth -= 1
    return depth if depth < len(here) else 0


def like(files: Files, path: str, other: str, before: str) -> str:
    """The module ``other`` as ``path`` names it, relative if it named the one ``before`` so."""
    found = relative(files, path, other) if before.startswith(".") else None
    return found or dotted(files, other, path)


def style(imported: Iterable[Statement]) -> str:
    """How a file mostly names modules of its own package: ``.`` where it is by their place."""
    names = [each.module for each in imported if each.module and each.module != "__future__"]
    relative = sum(name.startswith(".") for name in names)
    return "." if relative * 2 > len(names) else ""
