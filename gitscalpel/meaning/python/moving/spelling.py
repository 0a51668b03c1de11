"""How a module is called in an import of another file."""

from __future__ import annotations

from collections.abc import Iterable

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import modules
from gitscalpel.meaning.python.importing.statements import Statement
from gitscalpel.meaning.things import Module
from gitscalpel.regex import lazy

_BY_PLACE = lazy(rb"(?m)^[ \t]*from[ \t]+(\.+)")
_BY_NAME = lazy(rb"(?m)^[ \t]*(?:from[ \t]+([^\W\d][\w.]*)|import[ \t]+([^\W\d][^\n;#(]*))")
_SUFFIXES = (".py", ".pyi")
_INIT = ("__init__.py", "__init__.pyi")


def dotted(files: Files, path: str, by: str = "") -> str:
    """The whole name of a module: from the folder above its outermost package.

    Where ``by``, the path of a file that imports it, does not look into that folder, from one above.
    """
    folder, _, last = path.rpartition("/")
    parts = [] if last in _INIT else [last.rpartition(".")[0]]
    said = 0 if not folder or is_package(files, folder) else _packages(files, folder, by)
    while folder and (said > 0 or is_package(files, folder)):
        parts.insert(0, folder.rpartition("/")[2])
        folder, said = folder.rpartition("/")[0], said - 1
    searched = set(modules.roots(files, by)) - _inside(files, by) if by else {folder}
    while folder and folder not in searched:
        parts.insert(0, folder.rpartition("/")[2])
        folder = folder.rpartition("/")[0]
    return ".".join(parts)


def is_package(files: Files, folder: str) -> bool:
    """Whether a folder is a package by a file of its own."""
    return bool(folder) and any(files.is_file(f"{folder}/{init}") for init in _INIT)


def _inside(files: Files, path: str) -> set[str]:
    """The folders of a file that are packages though none says so: what it imports is not looked up there."""
    folder, found = path.rpartition("/")[0], set[str]()
    for _ in range(_packages(files, folder, path) if folder and not is_package(files, folder) else 0):
        found.add(folder)
        folder = folder.rpartition("/")[0]
    return found


def _packages(files: Files, folder: str, by: str) -> int:
    """How many folders, from one up, are packages: as ``by`` imports from it, or else as others do."""
    own = _named(files, folder, by)
    if own is not None:
        return own
    others = files.naming(folder.rpartition("/")[2], "python")
    return max(_said(files, folder), *(_named(files, folder, path) or 0 for path in others), 0)


def _named(files: Files, folder: str, path: str) -> int | None:
    """How many folders, from one up, a file names where it imports what is in there; None: it does not."""
    source = files.source(path) if path else None
    wanted, found = folder.split("/"), list[int]()
    for one, several in _BY_NAME.findall(source.text) if source is not None else ():
        for said in (one or several).decode("utf-8", "surrogateescape").split(","):
            module = modules.find(files, path, (said.split() or [""])[0], 0)
            place = parts(module.path) if isinstance(module, Module) else []
            if place[: len(wanted)] == wanted:
                found.append(len(wanted) - (len(place) - len(said.split()[0].split("."))))
    return max(found, default=None)


def _said(files: Files, folder: str) -> int:
    """How many folders, from one up, have to be packages, as files in it import by their place."""
    inside = (path for path in files.overlay.under(folder) if path.rpartition("/")[0] == folder)
    sources = [files.source(path) for path in inside if path.endswith(_SUFFIXES)]
    texts = [each.text for each in sources if each is not None]
    return max((len(dots) for text in texts for dots in _BY_PLACE.findall(text)), default=0)


def parts(path: str) -> list[str]:
    """A module's place as folders and its own name: ``a/b/__init__.py`` and ``a/b.py`` are both a, b."""
    head, _, last = path.rpartition("/")
    if last in _INIT:
        return head.split("/") if head else []
    for suffix in _SUFFIXES:
        path = path.removesuffix(suffix)
    return path.split("/") if path else []


def relative(files: Files, path: str, other: str) -> str | None:
    """The module ``other`` as ``path`` names it by its place; None where that leads out of its package."""
    here, there = path.split("/")[:-1], parts(other)
    shared = 0
    while shared < min(len(here), len(there)) and here[shared] == there[shared]:
        shared += 1
    if shared <= _above_package(files, here):
        return None
    return "." * (len(here) - shared + 1) + ".".join(there[shared:])


def _above_package(files: Files, here: list[str]) -> int:
    """How many folders are above the outermost package; of a folder that is none, 0."""
    depth = len(here)
    while depth and is_package(files, "/".join(here[:depth])):
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
