"""How a file is called in an import of another one: as its imports, or its neighbours', call files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.javascript import paths, specifiers
from gitscalpel.meaning.javascript.relocating import naming
from gitscalpel.meaning.resolve import Resolver

_STRICT = (".mjs", ".mts")
"""The endings of files that find others by their whole names alone."""
_WHOLE = (*_STRICT, ".cjs", ".cts")
"""The endings that nobody tries."""
_WRITTEN = {".ts": ".js", ".tsx": ".js", ".d.ts": ".js", ".mts": ".mjs", ".cts": ".cjs"}
_SPELLED = frozenset((*paths.SUFFIXES, ".json"))
_MOST = 20
"""Files that are looked at for how they name others."""


def spelled(files: Files, here: str, to: str, *samples: tuple[str, str]) -> str:
    """How ``here`` names ``to``; ``samples``: paths of files, and how they name another one, best first."""
    resolver = Resolver(files.with_file(to), dialect)
    is_strict = here.endswith(_STRICT) or to.endswith(_WHOLE)
    for sample in (*samples, *_near(resolver, here, to)):
        said = naming.like(resolver, resolver, here, to, sample)
        if said is not None and not (is_strict and posixpath.splitext(said)[1] not in _SPELLED):
            return said
    suffix = next((each for each in (".d.ts", *paths.SUFFIXES) if to.endswith(each)), "")
    stem = to.removesuffix(suffix)
    if suffix in _WHOLE or here.endswith(_STRICT):
        stem += _WRITTEN.get(suffix, suffix)
    near = posixpath.relpath(stem, posixpath.dirname(here) or ".")
    return near if near.startswith(".") else f"./{near}"


def again(files: Files, was: str, here: str, said: str) -> str:
    """How ``here`` names what another file names so."""
    if not said.startswith("."):
        return said
    module = paths.find(Resolver(files, dialect), was, said)
    path = getattr(module, "path", None)
    if path is not None:
        return spelled(files, here, path, (was, said))
    place = posixpath.normpath(posixpath.join(posixpath.dirname(was), said))
    near = posixpath.relpath(place, posixpath.dirname(here) or ".")
    return near if near.startswith(".") else f"./{near}"


def naming_files(files: Files, path: str) -> list[str]:
    """The files that may name one: those that hold the longest word of its name, or of its folder's."""
    stem = posixpath.basename(path).partition(".")[0]
    words = re.findall(r"\w+", stem) + (
        re.findall(r"\w+", posixpath.basename(posixpath.dirname(path))) if stem == "index" else []
    )
    found = dict.fromkeys(each for word in words[-1:] for each in files.holding(word))
    if stem == "index":  # they may say "." or ".."
        found.update(dict.fromkeys(files.overlay.under(posixpath.dirname(path))))
    return [each for each in found if _is_read(files, each)]


def _near(resolver: Resolver, here: str, to: str) -> Iterator[tuple[str, str]]:
    """How the file itself, and then others, name files of the tree by their place."""
    for path in (here, *naming_files(resolver.files, to), *naming_files(resolver.files, here))[:_MOST]:
        if _is_read(resolver.files, path):
            for each in specifiers.of(resolver, path):
                if each.said.startswith("."):
                    yield path, each.said


def _is_read(files: Files, path: str) -> bool:
    lexical = files.lexical(path)
    return lexical is not None and lexical.syntax.language.name in paths.LANGUAGES
