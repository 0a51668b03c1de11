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
    """The splices of a configuration that names what moves, or includes what moves out of that."""
    syntax = _syntax(journey, path)
    if syntax is None:
        return []
    keys = _KEYS[_TYPESCRIPT.search(path) is not None]
    folder, now = posixpath.dirname(path), posixpath.dirname(journey.to(path))
    found = []
    for node in syntax.of_type("string_content"):
        said = syntax.text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")
        key = _key(syntax, node)
        new = _moved(journey, folder, now, said) if key in keys else said
        if new != said:
            new = new.removeprefix("./") if key == "baseUrl" else new  # as TypeScript's own server has it
            found.append(Splice(node.start_byte, node.end_byte, new.encode("utf-8", "surrogateescape")))
    return found + list(_included_as_well(journey, path, syntax))


def _included_as_well(journey: Journey, path: str, syntax: Syntax) -> Iterator[Splice]:
    """The files that move out of what a configuration includes, and stay below it."""
    now = posixpath.dirname(journey.to(path))
    last = [node for node in syntax.of_type("string_content") if _key(syntax, node) == "include"][-1:]
    for to in _gone(journey, path, syntax):
        new = posixpath.relpath(to, now or ".")
        string = last[0].parent
        if not new.startswith("../") and string is not None:
            raw = f', "{new}"'.encode("utf-8", "surrogateescape")
            yield Splice(string.end_byte, string.end_byte, raw)


def without(journey: Journey) -> Iterator[str]:
    """What moves out of what a configuration includes, and is not below it, in words."""
    for path in over(journey):
        syntax = _syntax(journey, path)
        for to in _gone(journey, path, syntax) if syntax is not None else ():
            if posixpath.relpath(to, posixpath.dirname(journey.to(path)) or ".").startswith("../"):
                yield f"{quoted(path)}: its include does not hold {quoted(to)}"


def over(journey: Journey) -> list[str]:
    """The configurations of TypeScript in the folders around what moves."""
    found: dict[str, None] = {}
    for path in journey.files:
        folder = path
        while folder:
            folder = posixpath.dirname(folder)
            found[posixpath.join(folder, "tsconfig.json")] = None
    return [path for path in found if journey.before.is_file(path)]


def _gone(journey: Journey, path: str, syntax: Syntax) -> list[str]:
    """Where files go that a configuration includes, and would include no more."""
    folder, now = posixpath.dirname(path), posixpath.dirname(journey.to(path))
    said = [
        syntax.text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")
        for node in syntax.of_type("string_content")
        if _key(syntax, node) == "include"
    ]
    was = [_place(folder, each) for each in said]
    then = [_place(now, _moved(journey, folder, now, each)) for each in said]
    return [to for at, to in journey.files.items() if _covers(was, at) and not _covers(then, to)]


def _place(folder: str, said: str) -> str:
    return posixpath.normpath(posixpath.join(folder, said.partition("*")[0]))


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


def _covers(included: list[str], path: str) -> bool:
    return any(each in (".", path) or path.startswith(each + "/") for each in included)


def _syntax(journey: Journey, path: str) -> Syntax | None:
    source = journey.before.source(path)
    try:
        return None if source is None else source.syntax
    except DoesNotFit:
        return None
