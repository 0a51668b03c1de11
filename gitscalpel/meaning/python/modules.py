"""Which file an import names.

https://docs.python.org/3/reference/import.html: a folder with an ``__init__.py`` is a package, one without
may be a namespace package. Which folders are searched is the user's affair: here those above the importing
file's outermost package, and ``src``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.things import Elsewhere, Module

_SUFFIXES = (".py", ".pyi")
ROOTS = ("", "src", "lib", "python")
"""Where packages are looked for in any project."""
_DECLARES = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "environment.yml")
"""Files that say what a project takes from others."""


def find(files: Files, path: str, dotted: str, level: int) -> Module | Elsewhere:
    """The module that a file imports.

    Args:
        files: of the tree.
        path: of the file that imports.
        dotted: as it is written, without leading dots.
        level: how many dots lead.
    """
    parts = dotted.split(".") if dotted else []
    if level:
        base = path.rpartition("/")[0].split("/") if "/" in path else []
        if level - 1 > len(base):
            return Elsewhere(dotted)
        base = base[: len(base) - (level - 1)]
        return below(files, "/".join(base), parts) or Elsewhere(dotted)
    for root in roots(files, path):
        found = below(files, root, parts)
        if found is not None and not _is_behind_library(files, root, parts[0]):
            return found
    return _linked(files, path, parts) or Elsewhere(dotted)


def _is_behind_library(files: Files, root: str, name: str) -> bool:
    """Return True for a folder that is no package and is called as a module of the standard library."""
    found = below(files, root, [name]) if name in sys.stdlib_module_names else None
    return found is not None and not files.is_file(found.path)


def named(files: Files, path: str, said: str) -> Module | Elsewhere:
    """The module that a file names as it is written, with its leading dots."""
    dotted = said.lstrip(".")
    return find(files, path, dotted, len(said) - len(dotted))


def file(files: Files, path: str, said: str) -> str | None:
    """The path of a module as a file names it; None: it is none of the tree."""
    found = named(files, path, said)
    return found.path if isinstance(found, Module) else None


def part(files: Files, path: str, dotted: str, whole: str) -> Module | Elsewhere:
    """The module that is the first part of one which a file imports: where all of it is found."""
    for root in roots(files, path) if dotted != whole else ():
        if below(files, root, whole.split(".")) is not None:
            return below(files, root, dotted.split(".")) or Elsewhere(dotted)
    return find(files, path, dotted, 0)


def _linked(files: Files, path: str, parts: list[str]) -> Module | None:
    """The module that is found where a link of the tree leads."""
    for root in roots(files, path) if parts and parts[0] not in sys.stdlib_module_names else ():
        place = "/".join([root, *parts] if root else parts)
        for suffix in (*_SUFFIXES, ""):
            goal = files.behind(place + suffix)
            if goal == place + suffix:
                continue
            found = package(files, goal) if not suffix else None
            if found is not None or (suffix and files.is_file(goal)):
                return found or Module(goal, "python")
    return None


def is_known(files: Files, dotted: str) -> bool:
    """Whether a module that is not in the tree can be somewhere: in the standard library, or a dependency."""
    top = dotted.partition(".")[0]
    return top in sys.stdlib_module_names or (bool(top) and any(map(files.is_file, _DECLARES)))


def below(files: Files, folder: str, parts: list[str]) -> Module | None:
    """The module of a dotted name below a folder."""
    place = "/".join([folder, *parts] if folder else parts)
    if parts:
        for suffix in _SUFFIXES:
            if files.is_file(place + suffix):
                return Module(place + suffix, "python")
    return package(files, place)


def package(files: Files, folder: str) -> Module | None:
    """A folder as a package."""
    for suffix in _SUFFIXES:
        init = f"{folder}/__init__{suffix}" if folder else f"__init__{suffix}"
        if files.is_file(init):
            return Module(init, "python")
    if any(path.endswith(_SUFFIXES) for path in files.overlay.under(folder)):
        return Module(folder, "python")
    return None


def name(path: str) -> str:
    """The last part of a module's name."""
    stem = path.rpartition("/")[2].partition(".")[0]
    return name(path.rpartition("/")[0]) if stem == "__init__" else stem


def folder(module: Module) -> str | None:
    """The folder in which a package's modules are; None of a plain module."""
    head, _, last = module.path.rpartition("/")
    if last.startswith("__init__."):
        return head
    return None if last.endswith(_SUFFIXES) else module.path


def roots(files: Files, path: str) -> Iterator[str]:
    """The folders in which what a file imports is looked for, best first."""
    here = path.rpartition("/")[0]
    while here and any(files.is_file(f"{here}/__init__{suffix}") for suffix in _SUFFIXES):
        here = here.rpartition("/")[0]
    while here:
        yield here
        here = here.rpartition("/")[0]
    yield from ROOTS
