"""Imports of what is no path: packages of the same tree, and modules that a file declares."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from gitscalpel.meaning.files import Files
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
        said = _read(resolver, path)
        if said.get("name") == name:
            folder = posixpath.dirname(path)
            found = targets(said.get("exports"), f"./{rest}" if rest else ".")
            inside = [*found, *([rest] if rest else _entries(said))]
            for each in (*inside, rest):
                yield from (posixpath.join(folder, each), posixpath.join(folder, "src", each))


def is_published(resolver: Resolver, said: str) -> bool | None:
    """Return True if a package of the tree exports a name, and None if it does not restrict names."""
    parts = said.split("/")
    length = 2 if said.startswith("@") else 1
    name, rest = "/".join(parts[:length]), "/".join(parts[length:])
    for path in _holding(resolver, name):
        content = _read(resolver, path) if posixpath.basename(path) == "package.json" else {}
        if content.get("name") == name and content.get("exports") is not None:
            return any(True for _ in targets(content["exports"], f"./{rest}" if rest else "."))
    return None


def published_names(table: object, path: str, same: Callable[[str, str], bool]) -> Iterator[str]:
    """Yield the subpaths under which patterns of ``exports`` publish a file.

    Args:
        table: the value of ``exports``.
        path: of the file, from the folder of the package.
        same: returns True if a target is a file, or is built from it.
    """
    parts = re.sub(r"(\.d)?\.\w+$", "", path).split("/")
    stars = [each[at:] for each in (parts, path.split("/")) for at in reversed(range(len(parts)))]
    for key in table if isinstance(table, dict) else ():
        pattern = f"{key}*" if key.endswith("/") else key
        for star in ("/".join(each) for each in stars if "*" in pattern):
            name = pattern.replace("*", star)
            if any(same(target, path) for target in targets(table, name)):
                yield name
                break


def internal(resolver: Resolver, path: str, said: str) -> Iterator[str]:
    """Yield the places that ``imports`` of the nearest package gives to a name with ``#``."""
    folder = path
    while folder:
        folder = posixpath.dirname(folder)
        place = posixpath.join(folder, "package.json")
        if resolver.files.is_file(place):
            for target in targets(_read(resolver, place).get("imports"), said):
                yield posixpath.join(folder, target)
            return


def targets(table: object, key: str) -> Iterator[str]:
    """Yield the files that a table of a package gives to a name; conditions are not told apart.

    https://nodejs.org/api/packages.html#subpath-patterns: a whole name beats a pattern, and the longest
    pattern beats the others.
    """
    if not isinstance(table, dict) or not any(each[:1] in (".", "#") for each in table):
        table = {".": table} if table is not None else {}
    if key in table:
        yield from _leaves(table[key], "")
        return
    for pattern in sorted(table, key=len, reverse=True):
        head, star, tail = (pattern, "/", "") if pattern.endswith("/") else pattern.partition("*")
        if star and key.startswith(head) and key.endswith(tail) and len(key) >= len(head) + len(tail):
            rest = key[len(head) : len(key) - len(tail)]
            yield from (each + rest if star == "/" else each for each in _leaves(table[pattern], rest))
            return


def _leaves(value: object, star: str) -> Iterator[str]:
    if isinstance(value, str):
        yield value.replace("*", star)
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _leaves(each, star)


def _read(resolver: Resolver, path: str) -> dict[str, Any]:
    return read(resolver.files, path)


def read(files: Files, path: str) -> dict[str, Any]:
    """Return the content of a ``package.json``; empty if it is not there or does not parse."""
    source = files.source(path)
    try:
        said = json.loads(source.text) if source is not None else {}
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _entries(said: dict[str, Any]) -> list[str]:
    return [said[key] for key in _ENTRIES if isinstance(said.get(key), str)]


def called(resolver: Resolver, path: str) -> Iterator[str]:
    """The names of packages in whose folder a file is that may be the one that they are imported as."""
    folder, stem = posixpath.dirname(path), posixpath.basename(path).partition(".")[0]
    while True:
        said = _read(resolver, posixpath.join(folder, "package.json"))
        name, entries = said.get("name"), _entries(said)
        if isinstance(name, str) and (stem == "index" or any(stem in each for each in entries)):
            yield name
        if not folder:
            return
        folder = posixpath.dirname(folder)


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
