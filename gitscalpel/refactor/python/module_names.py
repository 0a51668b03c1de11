"""Name a module in an import of another file, before and after a move.

A file names modules of its own package by their whole name or relative to itself, as it did before.
"""

from __future__ import annotations

import keyword
import posixpath
from collections.abc import Iterable

from gitscalpel.changesets.answers import quoted
from gitscalpel.errors import DoesNotFit
from gitscalpel.names.entities import Module
from gitscalpel.names.file_moves import FileMoves
from gitscalpel.names.files import Files
from gitscalpel.names.languages.python import modules
from gitscalpel.names.languages.python.import_statements import ImportStatement

_INIT = ("__init__.py", "__init__.pyi")


def dotted_name(files: Files, path: str, by: str = "") -> str:
    """The whole name of a module: from the folder above its outermost package.

    Where ``by``, the path of a file that imports it, does not look into that folder, from one above.
    """
    folder, _, last = path.rpartition("/")
    parts = [] if last in _INIT else [last.rpartition(".")[0]]
    root = modules.package_root(files, folder, by)
    searched = set(modules.import_roots(files, by)) - modules.packages_around(files, by) if by else {root}
    while folder and (len(folder) > len(root) or folder not in searched):
        parts.insert(0, folder.rpartition("/")[2])
        folder = folder.rpartition("/")[0]
    return ".".join(parts)


def relative_name(files: Files, path: str, other: str) -> str | None:
    """The module ``other`` as ``path`` names it by its place; None where that leads out of its package."""
    here, there = path.split("/")[:-1], modules.path_parts(other)
    shared = 0
    while shared < min(len(here), len(there)) and here[shared] == there[shared]:
        shared += 1
    if shared <= _above_package(files, here):
        return None
    return "." * (len(here) - shared + 1) + ".".join(there[shared:])


def _above_package(files: Files, here: list[str]) -> int:
    """How many folders are above the outermost package; of a folder that is none, 0."""
    depth = len(here)
    while depth and modules.is_package(files, "/".join(here[:depth])):
        depth -= 1
    return depth if depth < len(here) else 0


def name_in_style_of(files: Files, path: str, other: str, before: str) -> str:
    """The module ``other`` as ``path`` names it, relative if it named the one ``before`` so."""
    found = relative_name(files, path, other) if before.startswith(".") else None
    return found or dotted_name(files, other, path)


def import_style(imported: Iterable[ImportStatement]) -> str:
    """How a file mostly names modules of its own package: ``.`` where it is by their place."""
    names = [each.module for each in imported if each.module and each.module != "__future__"]
    relative = sum(name.startswith(".") for name in names)
    return "." if relative * 2 > len(names) else ""


_SUFFIXES = (".py", ".pyi")


def find_named(journey: FileMoves, path: str, said: str) -> Module | None:
    """The module that a file names, before the move."""
    found = modules.find_by_name(journey.before, path, said)
    return found if isinstance(found, Module) else None


def rename_module(journey: FileMoves, path: str, said: str, target: str) -> str:
    """What a file that names a module says after the move; by its place, if it did that.

    Args:
        journey: what moves.
        path: of the file, before.
        said: the module's name there, before.
        target: the path of the module, before.
    """
    to = journey.means(target)
    if said.startswith("."):
        if to == target and journey.to(path) == path:
            return said
        return relative_name(journey.after, journey.to(path), to) or _absolute(journey, to)
    return said if to == target else _below_root(journey, said, target, to)


def _below_root(journey: FileMoves, said: str, target: str, to: str) -> str:
    """The dotted name from the folder in which the old one was looked up."""
    place, named = modules.path_parts(target), said.split(".")
    root = place[: len(place) - len(named)]
    above = journey.to("/".join(root)).split("/") if root else []
    for folder in (above, root):
        now = modules.path_parts(to)
        if len(now) > len(folder) and now[: len(folder)] == folder and place[len(root) :] == named:
            return ".".join(now[len(folder) :])
    return _absolute(journey, to)


def _absolute(journey: FileMoves, path: str) -> str:
    is_file = path.endswith(_SUFFIXES)
    return dotted_name(journey.after, path) if is_file else ".".join(modules.path_parts(path))


def require_importable(journey: FileMoves, path: str, place: str) -> None:
    """Refuse a move after which Python would not find a module that is imported.

    Args:
        journey: the files that move.
        path: the path of the module before.
        place: a file and line that import the module.

    Raises:
        DoesNotFit: `kind_mismatch`.
    """
    to = journey.means(path)
    why = "" if to == path else _hindrance(journey, path, to)
    if why:
        raise DoesNotFit(
            "kind_mismatch",
            f"{place} imports {quoted(path)}, and {why}",
            "choose another path, or move the file alone (keep_imports) and edit the imports yourself",
            path=path,
        )


def _hindrance(journey: FileMoves, path: str, to: str) -> str:
    """Return in words why Python does not find a module at ``to``; "" if it does."""
    is_file = path.endswith(_SUFFIXES)
    if is_file and not to.endswith(_SUFFIXES):
        return f"{quoted(to)} is not a Python file"
    if path.endswith(".py") and to.endswith(".pyi") and not journey.after.is_file(to[:-1]):
        return f"{quoted(to)} is a stub, which Python does not run"
    for name in _absolute(journey, to).split("."):
        if not name.isidentifier() or keyword.iskeyword(name):
            return f"{quoted(name)} cannot be imported: it is not a name of Python"
    hidden = _hidden_by(journey.after, to)
    return f"{quoted(hidden)} would be imported instead of {quoted(to)}" if hidden else ""


def _hidden_by(files: Files, to: str) -> str:
    """Return the file that Python takes for a module at ``to``, or for a package around it; "" if none.

    A package with an ``__init__.py`` comes before a module of its name, and that before a mere directory.
    """
    place, suffix = posixpath.splitext(to)
    if suffix == ".py" and files.is_file(f"{place}/__init__.py") and not to.endswith("/__init__.py"):
        return f"{place}/__init__.py"
    folder = posixpath.dirname(to)
    while folder:
        if files.is_file(f"{folder}.py") and not files.is_file(f"{folder}/__init__.py"):
            return f"{folder}.py"
        folder = posixpath.dirname(folder)
    return ""
