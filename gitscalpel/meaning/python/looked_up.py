"""Names that are put together where something is looked up by its name (``getattr``)."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.meaning import composed
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.regex import lazy

_BY_NAME = lazy(rb"\b[ghs]etattr\s*\(|\bhasattr\s*\(|\b(?:globals|vars)\(\)\s*\[|\b__dict__\s*\[")
_NEAR = 300
"""Bytes from a name that is put together to where it is looked up, at most."""


def why(resolver: Resolver, place: Place) -> str:
    """Where what a place defines may be looked up so; nothing where no file does that."""
    if not composed.is_reachable(resolver, place):
        return ""
    name = place.mention.name
    found = resolver.once(("composed", name), lambda: [*_found(resolver, name)][:1], ())
    return found[0] if found else ""


def _found(resolver: Resolver, name: str) -> Iterator[str]:
    for path in resolver.files.holding("getattr") if "_" in name.strip("_") else ():
        source = resolver.files.source(path) if path.endswith((".py", ".pyi", ".pyw")) else None
        for each in composed.places(source.text, name) if source is not None else ():
            around = source.text[max(each.start() - _NEAR, 0) : each.end() + _NEAR] if source else b""
            if _BY_NAME.search(around) and resolver.files.lexical(path) is not None:
                yield composed.why(resolver, path, each)
