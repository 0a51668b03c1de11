"""Configurations that name files and folders: ``tsconfig.json``, ``jsconfig.json`` and ``package.json``."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

import tree_sitter

from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning.journey import Journey
from gitscalpel.regex import lazy
from gitscalpel.report import quoted
from gitscalpel.syntax.parse import Syntax
from gitscalpel.text.splice import Splice

_TYPESCRIPT = lazy(r"(^|/)[tj]sconfig[^/]*\.json$")
_KEYS = {
    True: frozenset(
        {"baseUrl", "paths", "rootDir", "rootDirs", "typeRoots", "files", "include", "exclude", "extends"}
    ),
    False: frozenset({"main", "module", "types", "typings", "browser", "bin", "exports", "files", "source"}),
}
"""What names files: in a configuration of TypeScript, and in that of a package."""


def is_one(path: str) -> bool:
    """Whether a file is such a configuration."""
    return posixpath.basename(path) == "package.json" or _TYPESCRIPT.search(path) is not None


def respelled(journey: Journey, path: str) -> list[Splice]:
    """The splices of a configuration that names what moves."""
    syntax = _syntax(journey, path)
    if syntax is None:
        return []
    keys = _KEYS[_TYPESCRIPT.search(path) is not None]
    folder, now = posixpath.dirname(path), posixpath.dirname(journey.to(path))
    found = []
    for node in syntax.of_type("string_content"):
        said = syntax.text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")
        new = _moved(journey, folder, now, said) if _key(syntax, node) in keys else said
        if new != said:
            found.append(Splice(node.start_byte, node.end_byte, new.encode("utf-8", "surrogateescape")))
    return found


def _moved(journey: Journey, folder: str, now: str, said: str) -> str:
    """A path below the folder of a configuration, after the move; it may end in a pattern."""
    head, star, tail = said.partition("*")
    place = posixpath.normpath(posixpath.join(folder, head))
    to, rest = journey.to(place), ""
    while to == place and place not in ("", "."):  # what is in a folder that moves goes with it
        place, _, last = place.rpartition("/")
        rest = f"/{last}{rest}"
        to = journey.to(place)
    if to == place:
        return said
    new = posixpath.relpath(to + rest, now or ".")
    return f"{'./' if said.startswith('./') else ''}{new}{'/' if head.endswith('/') else ''}{star}{tail}"


def _key(syntax: Syntax, node: tree_sitter.Node) -> str:
    """The outermost key but for ``compilerOptions`` under which a value stands; nothing for a key."""
    found = ""
    inner, above = node, node.parent
    while above is not None:
        if above.type == "pair":
            key, value = above.child_by_field_name("key"), above.child_by_field_name("value")
            if key is None or value is None or value.start_byte > inner.start_byte:
                return ""
            said = syntax.text[key.start_byte + 1 : key.end_byte - 1].decode("utf-8", "replace")
            found = found if said == "compilerOptions" else said
        inner, above = above, above.parent
    return found


def without(journey: Journey) -> Iterator[str]:
    """What moves out of what a configuration includes, in words."""
    for path, to in journey.files.items():
        folder = posixpath.dirname(path)
        while True:
            config = posixpath.join(folder, "tsconfig.json")
            included = _included(journey, config)
            if _covers(included, path) and not _covers(included, to):
                yield f"{quoted(config)}: its include does not hold {quoted(to)}"
            if not folder or included:
                break
            folder = posixpath.dirname(folder)


def _included(journey: Journey, config: str) -> list[str]:
    """The folders and files that a configuration includes."""
    syntax = _syntax(journey, config)
    strings = [] if syntax is None else syntax.of_type("string_content")
    said = [
        syntax.text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")
        for node in strings
        if syntax is not None and _key(syntax, node) == "include"
    ]
    folder = posixpath.dirname(config)
    return [posixpath.normpath(posixpath.join(folder, each.partition("*")[0])) for each in said]


def _covers(included: list[str], path: str) -> bool:
    return any(each in (".", path) or path.startswith(each + "/") for each in included)


def _syntax(journey: Journey, path: str) -> Syntax | None:
    source = journey.before.source(path)
    try:
        return None if source is None else source.syntax
    except DoesNotFit:
        return None
