"""Find the file of a module, and the root of the packages around it.

https://docs.python.org/3/reference/import.html: a folder with an ``__init__.py`` is a package, one without
may be a namespace package. The user decides which folders Python searches. This module takes those above
the outermost package of the importing file, and ``src``. The dotted name of a module begins above its
outermost package, which may have no ``__init__.py``: then the imports of the tree tell.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator

from gitscalpel.names.entities import Elsewhere, Module
from gitscalpel.names.files import Files

_SUFFIXES = (".py", ".pyi")
ROOTS = ("", "src", "lib", "python")
"""Where packages are looked for in any project."""
_DECLARES = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "environment.yml")
"""Files that say what a project takes from others."""


def find_module(files: Files, path: str, dotted: str, level: int) -> Module | Elsewhere:
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
        return find_below(files, "/".join(base), parts) or Elsewhere(dotted)
    for root in import_roots(files, path):
        found = find_below(files, root, parts)
        if found is not None and not _is_behind_library(files, root, parts[0]):
            return found
    return _linked(files, path, parts) or Elsewhere(dotted)


def _is_behind_library(files: Files, root: str, name: str) -> bool:
    """Return True for a folder that is no package and is called as a module of the standard library."""
    found = find_below(files, root, [name]) if name in sys.stdlib_module_names else None
    return found is not None and not files.is_file(found.path)


def find_by_name(files: Files, path: str, said: str) -> Module | Elsewhere:
    """The module that a file names as it is written, with its leading dots."""
    dotted = said.lstrip(".")
    return find_module(files, path, dotted, len(said) - len(dotted))


def find_file(files: Files, path: str, said: str) -> str | None:
    """The path of a module as a file names it; None: it is none of the tree."""
    found = find_by_name(files, path, said)
    return found.path if isinstance(found, Module) else None


def find_first_part(files: Files, path: str, dotted: str, whole: str) -> Module | Elsewhere:
    """The module that is the first part of one which a file imports: where all of it is found."""
    for root in import_roots(files, path) if dotted != whole else ():
        if find_below(files, root, whole.split(".")) is not None:
            return find_below(files, root, dotted.split(".")) or Elsewhere(dotted)
    return find_module(files, path, dotted, 0)


def _linked(files: Files, path: str, parts: list[str]) -> Module | None:
    """The module that is found where a link of the tree leads."""
    for root in import_roots(files, path) if parts and parts[0] not in sys.stdlib_module_names else ():
        place = "/".join([root, *parts] if root else parts)
        for suffix in (*_SUFFIXES, ""):
            goal = files.behind(place + suffix)
            if goal == place + suffix:
                continue
            found = package_of(files, goal) if not suffix else None
            if found is not None or (suffix and files.is_file(goal)):
                return found or Module(goal, "python")
    return None


def is_library(files: Files, dotted: str) -> bool:
    """Whether a module that is not in the tree can be somewhere: in the standard library, or a dependency."""
    top = dotted.partition(".")[0]
    return top in sys.stdlib_module_names or (bool(top) and any(map(files.is_file, _DECLARES)))


def find_below(files: Files, folder: str, parts: list[str]) -> Module | None:
    """The module of a dotted name below a folder."""
    place = "/".join([folder, *parts] if folder else parts)
    if parts:
        for suffix in _SUFFIXES:
            if files.is_file(place + suffix):
                return Module(place + suffix, "python")
    return package_of(files, place)


def package_of(files: Files, folder: str) -> Module | None:
    """A folder as a package."""
    for suffix in _SUFFIXES:
        init = f"{folder}/__init__{suffix}" if folder else f"__init__{suffix}"
        if files.is_file(init):
            return Module(init, "python")
    if any(path.endswith(_SUFFIXES) for path in files.overlay.under(folder)):
        return Module(folder, "python")
    return None


def name_of(path: str) -> str:
    """The last part of a module's name."""
    stem = path.rpartition("/")[2].partition(".")[0]
    return name_of(path.rpartition("/")[0]) if stem == "__init__" else stem


def folder_of(module: Module) -> str | None:
    """The folder in which a package's modules are; None of a plain module."""
    head, _, last = module.path.rpartition("/")
    if last.startswith("__init__."):
        return head
    return None if last.endswith(_SUFFIXES) else module.path


def import_roots(files: Files, path: str) -> Iterator[str]:
    """The folders in which what a file imports is looked for, best first."""
    here = path.rpartition("/")[0]
    while here and any(files.is_file(f"{here}/__init__{suffix}") for suffix in _SUFFIXES):
        here = here.rpartition("/")[0]
    while here:
        yield here
        here = here.rpartition("/")[0]
    yield from ROOTS


_BY_PLACE = re.compile(rb"(?m)^[ \t]*from[ \t]+(\.+)[ \t]*([\w.]*)")
_BY_NAME = re.compile(rb"(?m)^[ \t]*(?:from[ \t]+([^\W\d][\w.]*)|import[ \t]+([^\W\d][^\n;#(]*))")
_INIT = ("__init__.py", "__init__.pyi")


def package_root(files: Files, folder: str, by: str) -> str:
    """The folder in which the outermost package around a folder is, as ``by`` imports, or else others do."""
    said, below = 0, ""
    while folder:
        if said <= 0 and not is_package(files, folder):
            said = _packages(files, folder, below, by)
            if said <= 0:
                break
        (folder, _, below), said = folder.rpartition("/"), said - 1
    return folder


def packages_around(files: Files, path: str) -> set[str]:
    """The folders of a file that are packages: what it imports is not looked up in them."""
    folder, found = path.rpartition("/")[0], set[str]()
    above = package_root(files, folder, path)
    while folder != above:
        found.add(folder)
        folder = folder.rpartition("/")[0]
    return found


def is_package(files: Files, folder: str) -> bool:
    """Whether a folder is a package by a file of its own."""
    return bool(folder) and any(files.is_file(f"{folder}/{init}") for init in _INIT)


def is_package_file(path: str) -> bool:
    """Return True for the file that makes a directory a package."""
    return path.rpartition("/")[2] in _INIT


def path_parts(path: str) -> list[str]:
    """A module's place as folders and its own name: ``a/b/__init__.py`` and ``a/b.py`` are both a, b."""
    head, _, last = path.rpartition("/")
    if last in _INIT:
        return head.split("/") if head else []
    for suffix in _SUFFIXES:
        path = path.removesuffix(suffix)
    return path.split("/") if path else []


def _packages(files: Files, folder: str, below: str, by: str) -> int:
    """How many folders, from one up, are packages: as ``by`` imports from it, or else as others do.

    ``below``: the package in it that is asked about, if there is one.
    """
    own = _named(files, folder, by)
    if own is not None:
        return own
    if below and folder in ROOTS:
        return 0
    asked = f"{folder}:{below}"
    if asked not in files.learned:
        files.learned[asked] = _of_others(files, folder, below or folder.rpartition("/")[2])
    return files.learned[asked] or _below_named(files, folder, by)


def _of_others(files: Files, folder: str, word: str) -> int:
    """As most of the files import from a folder that say a word, where none shows that there are more."""
    others = list(files.naming(word, "python"))
    named = Counter(n for n in (_named(files, folder, path) for path in others) if n is not None)
    most = max(named, key=lambda n: (named[n], n), default=0)
    return max(most, _said(files, folder), *(_placed(files, folder, path) for path in others), 0)


def _below_named(files: Files, folder: str, by: str) -> int:
    """As a file imports from a package that the folder is in."""
    above, depth = folder.rpartition("/")[0], 1
    while above:
        found = _named(files, above, by)
        if found:
            return depth + found
        above, depth = above.rpartition("/")[0], depth + 1
    return 0


def _named(files: Files, folder: str, path: str) -> int | None:
    """How many folders, from one up, a file names where it imports what is in there; None: it does not."""
    source = files.source(path) if path else None
    wanted, found = folder.split("/"), list[int]()
    for one, several in _BY_NAME.findall(source.text) if source is not None else ():
        for said in (one or several).decode("utf-8", "surrogateescape").split(","):
            module = find_module(files, path, (said.split() or [""])[0], 0)
            place = path_parts(module.path) if isinstance(module, Module) else []
            if place[: len(wanted)] == wanted:
                found.append(len(wanted) - (len(place) - len(said.split()[0].split("."))))
    return max(found, default=None)


def _placed(files: Files, folder: str, path: str) -> int:
    """How many folders, from one up, are packages as a file above imports what is in there by its place."""
    here = path.split("/")[:-1]
    source = files.source(path)
    return max(_counts(folder, here, [] if source is None else _BY_PLACE.findall(source.text)), default=0)


def _counts(folder: str, here: list[str], said: list[tuple[bytes, bytes]]) -> Iterator[int]:
    wanted = folder.split("/")
    for dots, name in said:
        base = here[: len(here) - len(dots) + 1]
        names = name.decode("utf-8", "surrogateescape").split(".")
        if base and len(base) < len(wanted) and [*base, *names][: len(wanted)] == wanted:
            yield len(wanted) - len(base) + 1


def _said(files: Files, folder: str) -> int:
    """How many folders, from one up, have to be packages, as files in it import by their place."""
    inside = (path for path in files.overlay.under(folder) if path.rpartition("/")[0] == folder)
    sources = [files.source(path) for path in inside if path.endswith(_SUFFIXES)]
    texts = [each.text for each in sources if each is not None]
    return max((len(dots) for text in texts for dots, _ in _BY_PLACE.findall(text)), default=0)
