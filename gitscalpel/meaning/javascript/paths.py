"""Which file an import names: by its path, with the endings and index files that Node and TypeScript try."""

from __future__ import annotations

import posixpath

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.things import Elsewhere, Module

_SUFFIXES = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
_WRITTEN_FOR = {".js": (".ts", ".tsx", ".d.ts"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
"""Under which suffix a file is named that is compiled: the files that it may be compiled from."""


def find(files: Files, path: str, said: str) -> Module | Elsewhere:
    """The module that a file imports; packages are looked for nowhere."""
    if not said.startswith("."):
        return Elsewhere(said)
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), said))
    if place.startswith(".."):
        return Elsewhere(said)
    stem, suffix = posixpath.splitext(place)
    tried = [
        place,
        *(stem + each for each in _WRITTEN_FOR.get(suffix, ())),
        *(place + each for each in _SUFFIXES),
        *(posixpath.join(place, "index" + each) for each in _SUFFIXES),
    ]
    found = next((each for each in tried if files.is_file(each)), None)
    lexical = files.lexical(found) if found else None
    return Module(found, lexical.syntax.language.name) if found and lexical else Elsewhere(said)
