"""Where imports are looked for as well: what ``tsconfig.json`` or ``jsconfig.json`` says."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from gitscalpel.meaning.files import Files

_ASIDE = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*[\s\S]*?\*/')
_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')
_NAMES = ("tsconfig.json", "jsconfig.json")


_VERBATIM = ("verbatimModuleSyntax", "preserveValueImports")
_ALONE = "classic"
"""How names that are no paths are looked for in the folders around a file, as AMD has it."""


class Config(NamedTuple):
    """What a configuration says of where modules are; folders and places are those of the tree.

    Attributes:
        base: the folder of names that are no paths; None where it is not set.
        names: patterns with at most one ``*``, and the places that these stand for.
        roots: folders that are one.
        around: names that are no paths are looked for beside a file, and in the folders around it.
        verbatim: imports stay as they are written, so that types have to be imported as types.
    """

    base: str | None = None
    names: Mapping[str, list[str]] = {}
    roots: tuple[str, ...] = ()
    around: bool = False
    verbatim: bool = False


def is_verbatim(files: Files, path: str) -> bool:
    """Return True if a configuration asks that types are imported as types."""
    config = _nearest(files, path)
    return config is not None and config.verbatim


def candidates(files: Files, path: str, said: str) -> Iterator[str]:
    """The places that a configuration says an import may mean, best first."""
    config = _nearest(files, path)
    if config is None:
        return
    for pattern, places in config.names.items():
        head, star, tail = pattern.partition("*")
        if said == pattern or (star and said.startswith(head) and said.endswith(tail)):
            middle = said[len(head) : len(said) - len(tail)]
            yield from (place.replace("*", middle, 1) for place in places)
    if said.startswith("."):
        yield from _rooted(config, path, said)
        return
    if config.base is not None:
        yield posixpath.join(config.base, said)
    yield from around(files, path, said)


def called(files: Files, path: str) -> Iterator[str]:
    """The names that a configuration gives to a file, whatever its path."""
    config = _nearest(files, path)
    for pattern, places in config.names.items() if config is not None else ():
        stem = posixpath.splitext(path)[0]
        if "*" not in pattern and any(each in (path, stem, posixpath.dirname(path)) for each in places):
            yield pattern


def around(files: Files, path: str, said: str) -> Iterator[str]:
    """The places beside a file, and in the folders around it, where its configuration looks there."""
    config = _nearest(files, path)
    is_so = config is not None and config.around and not said.startswith(".")
    folder = path
    while is_so and folder:
        folder = posixpath.dirname(folder)
        yield posixpath.join(folder, said)


def _rooted(config: Config, path: str, said: str) -> Iterator[str]:
    """The same place below the other roots."""
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), said))
    for root in config.roots:
        if place.startswith(root + "/"):
            yield from (other + place[len(root) :] for other in config.roots if other != root)


def _nearest(files: Files, path: str) -> Config | None:
    folder = posixpath.dirname(path)
    while True:
        for name in _NAMES:
            place = posixpath.join(folder, name)
            if files.is_file(place):
                return _config(files, place, ())
        if not folder:
            return None
        folder = posixpath.dirname(folder)


def _config(files: Files, place: str, within: tuple[str, ...]) -> Config:
    """What a file says, on top of those that it extends; else what those say that it only gathers."""
    source = files.source(place) if files.is_file(place) and place not in within else None
    said = _read(source.text) if source is not None else _NOTHING
    folder, config = posixpath.dirname(place), Config()
    for each in said.extends:
        further = _config(files, _named(files, folder, each), (*within, place))
        config = Config(
            config.base if further.base is None else further.base,
            further.names or config.names,
            further.roots or config.roots,
            further.around or config.around,
            further.verbatim or config.verbatim,
        )
    base = config.base if said.base is None else _joined(folder, said.base)
    names = {
        pattern: [_joined(folder if said.base is None else str(base), each) for each in places]
        for pattern, places in (said.names or {}).items()
    }
    config = Config(
        base,
        config.names if said.names is None else names,
        tuple(_joined(folder, each) for each in said.roots) or config.roots,
        said.resolution == _ALONE if said.resolution else config.around,
        config.verbatim if said.verbatim is None else said.verbatim,
    )
    gathered = (_config(files, _named(files, folder, each), (*within, place)) for each in said.references)
    return config if config != Config() else next((each for each in gathered if each != config), config)


def _joined(folder: str, said: str) -> str:
    place = posixpath.normpath(posixpath.join(folder, said))
    return "" if place == "." else place


def _named(files: Files, folder: str, said: str) -> str:
    """The file that a configuration calls so."""
    place = _joined(folder, said)
    tried = (place, f"{place}.json", posixpath.join(place, _NAMES[0]))
    return next((each for each in tried if files.is_file(each)), place)


class _Said(NamedTuple):
    """What one file says: as above, as it is written."""

    base: str | None = None
    names: Mapping[str, list[str]] | None = None
    roots: tuple[str, ...] = ()
    resolution: str = ""
    extends: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    verbatim: bool | None = None


_NOTHING = _Said()


@lru_cache(maxsize=64)
def _read(text: bytes) -> _Said:
    """A configuration, which may have comments and commas too many."""
    plain = _ASIDE.sub(_kept, text.decode("utf-8", "replace"))
    try:
        whole = json.loads(_COMMA.sub(_kept, plain))
    except ValueError:
        return _NOTHING
    options = whole.get("compilerOptions", {}) if isinstance(whole, dict) else {}
    if not isinstance(options, dict):
        return _NOTHING
    base, names = options.get("baseUrl"), options.get("paths")
    lists = (
        {k: [str(e) for e in v] for k, v in names.items() if isinstance(v, list)}
        if isinstance(names, dict)
        else None
    )
    extends, referred = whole.get("extends"), whole.get("references")
    paths = [each.get("path") for each in _list(referred) if isinstance(each, dict)]
    return _Said(
        base if isinstance(base, str) else None,
        lists,
        tuple(str(root) for root in _list(options.get("rootDirs"))),
        str(options.get("moduleResolution", "")).lower(),
        tuple(
            each
            for each in ([extends] if isinstance(extends, str) else _list(extends))
            if str(each)[:1] == "."
        ),
        tuple(each for each in paths if isinstance(each, str)),
        next((bool(options[key]) for key in _VERBATIM if key in options), None),
    )


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _kept(match: re.Match[str]) -> str:
    return match[1] or ""
