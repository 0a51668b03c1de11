"""Imports of what is no path: packages of the same tree, and modules that a file declares."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Module

_ENTRIES = ("source", "types", "module", "main")


def places(resolver: Resolver, said: str) -> Iterable[str]:
    """Where a package of the tree may have what is imported."""
    parts = said.split("/")
    length = 2 if said.startswith("@") else 1
    name, rest = "/".join(parts[:length]), "/".join(parts[length:])
    return resolver.once(("package", said), lambda: _places(resolver, name, rest), ())


def _places(resolver: Resolver, name: str, rest: str) -> Iterator[str]:
    for path in _holding(resolver, name):
        if posixpath.basename(path) != "package.json":
            continue
        source = resolver.files.source(path)
        try:
            said = json.loads(source.text) if source is not None else {}
        except ValueError:
            continue
        if isinstance(said, dict) and said.get("name") == name:
            folder = posixpath.dirname(path)
            inside = [rest] if rest else [said[key] for key in _ENTRIES if isinstance(said.get(key), str)]
            for each in (*inside, rest):
                yield from (posixpath.join(folder, each), posixpath.join(folder, "src", each))


def declared(resolver: Resolver, said: str) -> Iterable[Module]:
    """``declare module "said" { … }`` in any file."""
    return resolver.once(("declared", said), lambda: _declared(resolver, said), ())


def _declared(resolver: Resolver, said: str) -> Iterator[Module]:
    for path in _holding(resolver, said):
        lexical = resolver.files.lexical(path) if path.endswith((".ts", ".tsx", ".mts", ".cts")) else None
        for node in lexical.syntax.of_type("module") if lexical is not None else ():
            name = node.child_by_field_name("name")
            raw = lexical.text[name.start_byte : name.end_byte] if lexical and name is not None else b""
            if lexical is not None and raw[:1] in (b'"', b"'") and raw[1:-1] == said.encode():
                yield Module(path, lexical.syntax.language.name, (node.start_byte, node.end_byte))


def _holding(resolver: Resolver, said: str) -> Iterable[str]:
    """The files with the longest word of a name."""
    words = re.findall(r"\w+", said)
    return resolver.files.holding(max(words, key=len)) if words else ()
