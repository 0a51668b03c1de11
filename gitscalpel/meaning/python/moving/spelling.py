"""How a module is called in an import of another file."""

from __future__ import annotations

from collections.abc import Iterable

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import modules
from gitscalpel.meaning.python.importing.statements import Statement

_INIT = ("__init__.py", "__init__.pyi")


def dotted(files: Files, path: str, by: str = "") -> str:
    """The whole name of a module: from the folder above its outermost package.

    Where ``by``, the path of a file that imports it, does not look into that folder, from one above.
    """
    folder, _, last = path.rpartition("/")
    parts = [] if last in _INIT else [last.rpartition(".")[0]]
    while folder and any(files.is_file(f"{folder}/{init}") for init in _INIT):
        parts.insert(0, folder.rpartition("/")[2])
        folder = folder.rpartition("/")[0]
    searched = set(modules.roots(files, by)) if by else {folder}
    while folder and folder not in searched:
        parts.insert(0, folder.rpartition("/")[2])
        folder = folder.rpartition("/")[0]
    return ".".join(parts)


def relative(files: Files, path: str, other: str) -> str | None:
    """The module ``other`` as a relative import in ``path`` names it; None where they share no package."""
    here, there = dotted(files, path).split("."), dotted(files, other).split(".")
    if path.rpartition("/")[2] not in _INIT:
        here = here[:-1]
    shared = 0
    while shared < min(len(here), len(there)) and here[shared] == there[shared]:
        shared += 1
    if not shared:
        return None
    return "." * (len(here) - shared + 1) + ".".join(there[shared:])


def like(files: Files, path: str, other: str, before: str) -> str:
    """The module ``other`` as ``path`` names it, relative if it named the one ``before`` so."""
    found = relative(files, path, other) if before.startswith(".") else None
    return found or dotted(files, other, path)


def style(imported: Iterable[Statement]) -> str:
    """How a file mostly names modules of its own package: ``.`` where it is by their place."""
    names = [each.module for each in imported if each.module and each.module != "__future__"]
    relative = sum(name.startswith(".") for name in names)
    return "." if relative * 2 > len(names) else ""
