"""Which file an import names: by its path, with the endings and index files that Node and TypeScript try."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.javascript import config, packages
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Elsewhere, Module

LANGUAGES = ("javascript", "typescript", "tsx")
SUFFIXES = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
WRITTEN_FOR = {".js": (".ts", ".tsx", ".d.ts"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
"""Under which suffix a file is named that is compiled: the files that it may be compiled from."""


def find(resolver: Resolver, path: str, said: str) -> Module | Elsewhere:
    """The module that a file imports."""
    key = ("module file", posixpath.dirname(path), said)
    within: tuple[Module | Elsewhere, ...] = (Elsewhere(said),)
    return resolver.once(key, lambda: (_find(resolver, path, said),), within)[0]


def _find(resolver: Resolver, path: str, said: str) -> Module | Elsewhere:
    for place in places(resolver, path, said):
        found = file(resolver.files, posixpath.normpath(place))
        if found is not None:
            return found
    is_path = said.startswith(".")
    return next(iter(() if is_path else packages.declared(resolver, said)), None) or Elsewhere(said)


def places(resolver: Resolver, path: str, said: str) -> Iterator[str]:
    """The places that a file may mean, best first; they may lack the ending of a file."""
    files, folder = resolver.files, posixpath.dirname(path)
    if said.startswith("."):
        yield posixpath.join(folder, said)
    yield from config.candidates(files, path, said)
    if said.startswith("#"):
        yield from packages.internal(resolver, path, said)
    if said.startswith((".", "#")):
        return
    while True:
        modules = posixpath.join(folder, "node_modules")
        if files.overlay.entry(modules) is not None:
            yield from (posixpath.join(modules, said), posixpath.join(modules, "@types", said))
        if not folder:
            break
        folder = posixpath.dirname(folder)
    yield from packages.places(resolver, said)


def file(files: Files, place: str) -> Module | None:
    """The file of a path that may lack its ending."""
    if place.startswith("../"):
        return None
    place = "" if place == "." else place
    stem, suffix = posixpath.splitext(place)
    tried = [
        place,
        *(stem + each for each in WRITTEN_FOR.get(suffix, ())),
        *(place + each for each in SUFFIXES if place),
        *(posixpath.join(place, "index" + each) for each in SUFFIXES),
    ]
    for each in tried:
        lexical = files.lexical(each) if files.is_file(each) else None
        if lexical is not None and lexical.syntax.language.name in LANGUAGES:
            return Module(each, lexical.syntax.language.name)
    goals = ((each, files.behind(each)) for each in tried if each)
    return next((file(files, goal) for each, goal in goals if goal != each), None)
