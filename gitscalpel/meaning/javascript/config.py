"""Where imports are looked for as well: what ``tsconfig.json`` or ``jsconfig.json`` says."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from gitscalpel.meaning.files import Files
from gitscalpel.regex import lazy

_ASIDE = lazy(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*[\s\S]*?\*/')
_COMMA = lazy(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')
_NAMES = ("tsconfig.json", "jsconfig.json")


class Config(NamedTuple):
    """What a configuration says of where modules are.

    Attributes:
        base: the folder of names that are no paths; None where it is not set.
        names: patterns with at most one ``*``, and the places that these stand for.
        roots: folders that are one.
    """

    base: str | None
    names: Mapping[str, list[str]]
    roots: list[str]


def candidates(files: Files, path: str, said: str) -> Iterator[str]:
    """The places that a configuration says an import may mean, best first."""
    found = _nearest(files, path)
    if found is None:
        return
    folder, config = found
    base = posixpath.join(folder, config.base or "")
    for pattern, places in config.names.items():
        head, star, tail = pattern.partition("*")
        if said == pattern or (star and said.startswith(head) and said.endswith(tail)):
            middle = said[len(head) : len(said) - len(tail)]
            yield from (posixpath.join(base, place.replace("*", middle, 1)) for place in places)
    if config.base is not None and not said.startswith("."):
        yield posixpath.join(base, said)
    if said.startswith("."):
        yield from _rooted(folder, config, path, said)


def _rooted(folder: str, config: Config, path: str, said: str) -> Iterator[str]:
    """The same place below the other roots."""
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), said))
    roots = [posixpath.normpath(posixpath.join(folder, root)) for root in config.roots]
    for root in roots:
        if place.startswith(root + "/"):
            yield from (other + place[len(root) :] for other in roots if other != root)


def _nearest(files: Files, path: str) -> tuple[str, Config] | None:
    folder = posixpath.dirname(path)
    while True:
        for name in _NAMES:
            place = posixpath.join(folder, name)
            source = files.source(place) if files.is_file(place) else None
            if source is not None:
                config = _read(source.text)
                return None if config is None else (folder, config)
        if not folder:
            return None
        folder = posixpath.dirname(folder)


@lru_cache(maxsize=64)
def _read(text: bytes) -> Config | None:
    """A configuration, which may have comments and commas too many."""
    plain = _ASIDE.sub(_kept, text.decode("utf-8", "replace"))
    try:
        options = json.loads(_COMMA.sub(_kept, plain)).get("compilerOptions", {})
        base, names, roots = (options.get(key) for key in ("baseUrl", "paths", "rootDirs"))
    except (ValueError, AttributeError):
        return None
    return Config(
        base if isinstance(base, str) else None,
        {k: [str(e) for e in v] for k, v in names.items() if isinstance(v, list)}
        if isinstance(names, dict)
        else {},
        [str(root) for root in roots] if isinstance(roots, list) else [],
    )


def _kept(match: re.Match[str]) -> str:
    return match[1] or ""
