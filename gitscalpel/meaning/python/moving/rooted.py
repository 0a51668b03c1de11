"""Where the whole name of a module begins: above its outermost package, whether a file says so or not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import modules
from gitscalpel.meaning.things import Module

_BY_PLACE = re.compile(rb"(?m)^[ \t]*from[ \t]+(\.+)[ \t]*([\w.]*)")
_BY_NAME = re.compile(rb"(?m)^[ \t]*(?:from[ \t]+([^\W\d][\w.]*)|import[ \t]+([^\W\d][^\n;#(]*))")
_SUFFIXES = (".py", ".pyi")
_INIT = ("__init__.py", "__init__.pyi")


def root(files: Files, folder: str, by: str) -> str:
    """The folder in which the outermost package around a folder is, as ``by`` imports, or else others do."""
    said, below = 0, ""
    while folder:
        if said <= 0 and not is_package(files, folder):
            said = _packages(files, folder, below, by)
            if said <= 0:
                break
        (folder, _, below), said = folder.rpartition("/"), said - 1
    return folder


def inside(files: Files, path: str) -> set[str]:
    """The folders of a file that are packages: what it imports is not looked up in them."""
    folder, found = path.rpartition("/")[0], set[str]()
    above = root(files, folder, path)
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


def parts(path: str) -> list[str]:
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
    if below and folder in modules.ROOTS:
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
            module = modules.find(files, path, (said.split() or [""])[0], 0)
            place = parts(module.path) if isinstance(module, Module) else []
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
