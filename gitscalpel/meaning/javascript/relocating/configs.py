"""Configurations that name files and folders: ``tsconfig.json``, ``jsconfig.json`` and ``package.json``."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

import tree_sitter

from gitscalpel.changesets.answers import quoted
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning import told
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.javascript import packages, paths
from gitscalpel.meaning.journey import Journey
from gitscalpel.syntax.parse import Syntax
from gitscalpel.text.splice import Splice

_TYPESCRIPT = re.compile(r"(^|/)[tj]sconfig[^/]*\.json$")
_KEYS = {
    True: frozenset(
        {"baseUrl", "paths", "rootDir", "rootDirs", "typeRoots", "files", "include", "exclude", "extends"}
    ),
    False: frozenset(
        {"main", "module", "types", "typings", "typesVersions", "browser", "react-native", "bin", "man"}
        | {"exports", "imports", "files", "directories", "source", "style", "sass", "svelte", "sideEffects"}
        | {"unpkg", "jsdelivr", "esnext", "es2015", "jsnext:main", "workspaces"}
    ),
}
"""What names files: in a configuration of TypeScript, and in that of a package."""
_OTHER = frozenset(
    {"scripts", "dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "overrides"}
)
"""What names no file of a package, or not by itself."""
_BUILT = frozenset({"dist", "lib", "build", "out", "esm", "cjs", "es", "umd", "types"})
"""Folders in which a build puts what it makes of ``src``."""


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
        is_path = key in keys or (said.startswith("./") and key and key not in _OTHER)
        is_path = is_path or _replaces(syntax, node, said)
        new = _moved(journey, folder, now, said) if is_path else said
        if new != said:
            new = new.removeprefix("./") if key == "baseUrl" else new  # as TypeScript's own server has it
            found.append(Splice(node.start_byte, node.end_byte, new.encode("utf-8", "surrogateescape")))
    return found + list(_included_as_well(journey, path, syntax))


def _replaces(syntax: Syntax, node: tree_sitter.Node, said: str) -> bool:
    """Return True if a string is a key of ``browser``: a file that another one replaces."""
    pair = node.parent.parent if node.parent is not None else None
    if pair is None or pair.type != "pair" or pair.child_by_field_name("key") != node.parent:
        return False
    return said.startswith("./") and _key(syntax, pair) == "browser"


def built_left(journey: Journey) -> Iterator[str]:
    """Report what a package names that may be built from what moves."""
    sources = {_source_parts(path): path for path in journey.files}
    for place in packages_around(journey):
        syntax = _syntax(journey, place)
        folder, rows = posixpath.dirname(place), dict[str, list[int]]()
        for node in syntax.of_type("string_content") if syntax is not None else ():
            said = (
                syntax.text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")
                if syntax
                else ""
            )
            target = posixpath.normpath(posixpath.join(folder, said))
            key = _key(syntax, node) if syntax is not None else ""
            if key not in _KEYS[False] or "*" in said or journey.before.is_file(target):
                continue
            path = sources.get(_source_parts(target))
            if path is not None:
                rows.setdefault(path, []).append(node.start_point[0] + 1)
        for path, lines in rows.items():
            yield f"{told.spots(journey.to(place), lines)}: what may be built from {quoted(path)} is left"


def unpublished(journey: Journey, after: Files) -> Iterator[str]:
    """Report subpaths that patterns of ``exports`` publish, and do not publish after the move.

    Args:
        journey: the files that move.
        after: the files after the move, with configurations that follow.
    """
    for place in packages_around(journey):
        folder, now = posixpath.dirname(place), posixpath.dirname(journey.to(place))
        was, then = packages.read(journey.before, place), packages.read(after, journey.to(place))
        for path, to in journey.files.items():
            inside = posixpath.relpath(path, folder or ".")
            for name in packages.published_names(was.get("exports"), inside, _is_target):
                found = packages.targets(then.get("exports"), name)
                if not any(_is_target(each, posixpath.relpath(to, now or ".")) for each in found):
                    said = posixpath.normpath(posixpath.join(str(was.get("name", "")) or ".", name))
                    where = told.spots(journey.to(place), [_line_of(journey, place, "exports")])
                    yield f"{where}: {said} is not published any more: {quoted(path)} was its file"


def _is_target(target: str, path: str) -> bool:
    """Return True if a target of ``exports`` is a file, or may be built from it."""
    target = posixpath.normpath(target)
    is_built = target.split("/")[0] in _BUILT and "." in posixpath.basename(target)
    return target == path or (is_built and _source_parts(target) == _source_parts(path))


def _line_of(journey: Journey, path: str, key: str) -> int:
    syntax = _syntax(journey, path)
    for node in syntax.of_type("pair") if syntax is not None else ():
        name = node.child_by_field_name("key")
        if syntax is not None and name is not None and (name.text or b"").strip(b'"') == key.encode():
            return int(node.start_point[0]) + 1
    return 1


def _source_parts(path: str) -> tuple[str, ...]:
    """Return a path without its ending and without the folders of sources and of what is built."""
    stem = posixpath.basename(path).partition(".")[0]
    folders = posixpath.dirname(path).split("/")
    return (*(each for each in folders if each and each != "src" and each not in _BUILT), stem)


def packages_around(journey: Journey) -> list[str]:
    """Return the nearest package of each file that moves."""
    found: dict[str, None] = {}
    for path in journey.files:
        folder, place = path, ""
        while folder and not place:
            folder = posixpath.dirname(folder)
            each = posixpath.join(folder, "package.json")
            place = each if journey.before.is_file(each) else ""
        if place:
            found[place] = None
    return list(found)


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
        return _without_ending(journey, folder, now, said)
    new = posixpath.relpath(to + rest, now or ".")
    return f"{'./' if said.startswith('./') else ''}{new}{'/' if head.endswith('/') else ''}{star}{tail}"


def _without_ending(journey: Journey, folder: str, now: str, said: str) -> str:
    """A path that leaves out the ending of its file, after the move."""
    place = posixpath.normpath(posixpath.join(folder, said))
    for suffix in paths.SUFFIXES if "*" not in said else ():
        to = journey.files.get(place + suffix, "")
        if to.endswith(suffix) and not journey.before.is_file(place):
            new = posixpath.relpath(to.removesuffix(suffix), now or ".")
            return f"{'./' if said.startswith('./') else ''}{new}"
    return said


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
