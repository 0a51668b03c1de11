"""Which file an import names: by its path, with the endings and index files that Node and TypeScript try."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.javascript import config
from gitscalpel.meaning.things import Elsewhere, Module

LANGUAGES = ("javascript", "typescript", "tsx")
_SUFFIXES = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
_WRITTEN_FOR = {".js": (".ts", ".tsx", ".d.ts"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
"""Under which suffix a file is named that is compiled: the files that it may be compiled from."""


def find(files: Files, path: str, said: str) -> Module | Elsewhere:
    """The module that a file imports."""
    for place in _places(files, path, said):
        found = _file(files, posixpath.normpath(place))
        if found is not None:
            return found
    return _declared(files, said) or Elsewhere(said)


def _places(files: Files, path: str, said: str) -> Iterator[str]:
    folder = posixpath.dirname(path)
    if said.startswith("."):
        yield posixpath.join(folder, said)
    yield from config.candidates(files, path, said)
    if said.startswith("."):
        return
    while True:
        modules = posixpath.join(folder, "node_modules")
        if files.overlay.entry(modules) is not None:
            yield from (posixpath.join(modules, said), posixpath.join(modules, "@types", said))
        if not folder:
            return
        folder = posixpath.dirname(folder)


def _file(files: Files, place: str) -> Module | None:
    """The file of a path that may lack its ending."""
    if place.startswith("../"):
        return None
    place = "" if place == "." else place
    stem, suffix = posixpath.splitext(place)
    tried = [
        place,
        *(stem + each for each in _WRITTEN_FOR.get(suffix, ())),
        *(place + each for each in _SUFFIXES if place),
        *(posixpath.join(place, "index" + each) for each in _SUFFIXES),
    ]
    for each in tried:
        lexical = files.lexical(each) if files.is_file(each) else None
        if lexical is not None and lexical.syntax.language.name in LANGUAGES:
            return Module(each, lexical.syntax.language.name)
    return None


def _declared(files: Files, said: str) -> Module | None:
    """``declare module "said" { … }`` in any file."""
    word = said.rpartition("/")[2]
    for path in files.holding(word) if word.isidentifier() else ():
        lexical = files.lexical(path)
        if lexical is None or lexical.syntax.language.name not in ("typescript", "tsx"):
            continue
        for node in lexical.syntax.of_type("module"):
            name = node.child_by_field_name("name")
            raw = lexical.text[name.start_byte : name.end_byte] if name is not None else b""
            if raw[:1] in (b'"', b"'") and raw[1:-1] == said.encode():
                return Module(path, lexical.syntax.language.name, (node.start_byte, node.end_byte))
    return None
