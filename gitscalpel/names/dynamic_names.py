"""Find names that a program computes: ``getattr(self, "visit_" + kind)``, ``this[`on${event}`]``.

The whole name cannot be determined, but its beginning or end is in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitscalpel.changesets.answers import quote_path
from gitscalpel.names.entities import Binding
from gitscalpel.names.language import Place
from gitscalpel.names.resolver import Resolver

_BOUNDARY = re.compile(r"(?<=[^_])_(?=[^_])|(?<=[a-z0-9])(?=[A-Z])")
_HEAD = rb"""(?<=['"`])(?:%s)(?=['"`]\s*\+|\$?\{|%%s)"""
_TAIL = rb"""(?:(?<=\})|(?<=%%s)|(?<=\+ ['"`])|(?<=\+['"`]))(?:%s)(?=['"`])"""


def find_composed(text: bytes, name: str) -> Iterator[re.Match[bytes]]:
    """Yield strings that begin or end like a compound name and are joined with another value."""
    cuts = [(each.start(), each.end()) for each in _BOUNDARY.finditer(name)]
    heads = [name[:end] for _, end in cuts if end > 1]
    tails = [name[start:] for start, _ in cuts]
    private = len(name) - len(name.lstrip("_"))
    heads += [name[:private]] if 0 < private < len(name) and not name.endswith("__") else []
    for pattern, parts in ((_HEAD, heads), (_TAIL, tails)):
        said = b"|".join(re.escape(part.encode("utf-8", "surrogateescape")) for part in parts)
        if said:
            yield from re.finditer(pattern % said, text)


def has_parts(name: str) -> bool:
    """Return True if code may compose a name from a known part and another."""
    return name.startswith("_") or _BOUNDARY.search(name) is not None


def is_reachable(resolver: Resolver, place: Place) -> bool:
    """Return True if an occurrence binds a name that can be looked up: a member or a name of a module."""
    meant = resolver.meanings(*place)
    return any(isinstance(each, Binding) and each.kind in ("class", "module") for each in meant)


def describe_place(resolver: Resolver, path: str, found: re.Match[bytes]) -> str:
    """Return the warning for a renamed name at one of these places."""
    said = found[0].decode("utf-8", "surrogateescape")
    where = f"{quote_path(path)}:{resolver.line(path, found.start())}"
    return f"{where} puts names together with {said!r}, and it may be one of them"
