"""Names that are put together where something is looked up by its name (``getattr``)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitscalpel.meaning import composed
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding, Instance

_BY_NAME = re.compile(
    rb"\b[ghsd]?(?:et|as|el)attr\s*\(|\b(?:globals|locals|vars)\s*\(|\b__dict__\b|\b(?:eval|exec|attrgetter|methodcaller)\s*\("
)
_CLUES = ("getattr", "hasattr", "setattr", "delattr", "globals", "locals", "vars", "__dict__", "eval", "exec")
"""Words of which one is in each file that looks names up."""
_SAYS = re.compile(rb"\s*=\s*[}!:]")
_NEAR = 300
"""Bytes from a name that is put together to where it is looked up, at most."""


def why(resolver: Resolver, place: Place) -> str:
    """Where what a place defines may be looked up so; nothing where no file does that."""
    if not composed.is_reachable(resolver, place):
        return ""
    name = place.mention.name
    found = resolver.once(("composed", name), lambda: [*_found(resolver, name)][:1], ())
    return found[0] if found else ""


def named_by(resolver: Resolver, place: Place) -> str:
    """Return why the object that a class has under a name knows it (``__set_name__``); "" if it does not."""
    mention, above = place.mention, place.mention.node.parent
    is_in_class = bool(mention.scopes) and mention.scopes[0].kind == "class" and mention.role == "bind"
    right = above.child_by_field_name("right") if above is not None and above.type == "assignment" else None
    if not is_in_class or right is None:
        return ""
    for value in resolver.values(place.path, right):
        hooks = resolver.members(value, "__set_name__") if isinstance(value, Instance) else ()
        if any(isinstance(each, Binding) for each in hooks):
            return "what it is set to is told this name (__set_name__)"
    return ""


def shown(resolver: Resolver, place: Place) -> str:
    """Return why a use prints its own name (``f"{x=}"``); "" if it does not."""
    above = place.mention.node.parent
    while above is not None and above.type not in ("interpolation", "module", "block"):
        above = above.parent
    if above is None or above.type != "interpolation":
        return ""
    inner = above.named_children[0] if above.named_children else above
    text = resolver.lexical(place.path).text
    return "the text says it (=)" if _SAYS.match(text, inner.end_byte) else ""


def _found(resolver: Resolver, name: str) -> Iterator[str]:
    clues = "\n".join((*_CLUES, "attrgetter", "methodcaller"))
    for path in resolver.files.holding(clues) if composed.has_parts(name) else ():
        source = resolver.files.source(path) if path.endswith((".py", ".pyi", ".pyw")) else None
        for each in composed.places(source.text, name) if source is not None else ():
            around = source.text[max(each.start() - _NEAR, 0) : each.end() + _NEAR] if source else b""
            if _BY_NAME.search(around) and resolver.files.lexical(path) is not None:
                yield composed.why(resolver, path, each)
