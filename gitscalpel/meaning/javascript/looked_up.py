"""Names that something knows which does not name them: JSX, and members that are looked up in brackets."""

from __future__ import annotations

import re

import tree_sitter

from gitscalpel.meaning import composed
from gitscalpel.meaning.resolve import Place, Resolver

_OPENED = re.compile(rb"""\[\s*['"`]\Z""")
_CLOSED = re.compile(rb"""['"`]\s*\]""")
_ELEMENTS = re.compile(rb"</\w|/>")
_CHILDREN = "children"
_OF_ELEMENTS = frozenset(
    {
        *("Element", "ElementClass", "ElementType", "ElementAttributesProperty", "ElementChildrenAttribute"),
        *("IntrinsicElements", "IntrinsicAttributes", "IntrinsicClassAttributes", "LibraryManagedAttributes"),
    }
)
"""What a compiler asks of the name space ``JSX``: https://www.typescriptlang.org/docs/handbook/jsx.html."""


def why(resolver: Resolver, place: Place) -> str:
    """Who knows what a place defines by its name; nothing where nobody does."""
    name, lexical = place.mention.name, resolver.lexical(place.path)
    around = {scope.node.parent for scope in place.mention.scopes if scope.node.parent is not None}
    is_in_jsx = any(_name(node) == b"JSX" for node in around)
    if name == "JSX" or (name in _OF_ELEMENTS and is_in_jsx):
        return "compilers know it by this name, where there are elements"
    is_child = name == _CHILDREN and composed.is_reachable(resolver, place)
    if is_child and place.path.endswith(("x", "js")) and _ELEMENTS.search(lexical.text):
        return "elements know what stands in them by this name"
    for each in composed.places(lexical.text, name) if composed.is_reachable(resolver, place) else ():
        before = lexical.text[lexical.text.rfind(b"\n", 0, each.start()) + 1 : each.start()]
        if _OPENED.search(before) or _CLOSED.match(lexical.text, each.end()):
            return composed.why(resolver, place.path, each)
    return ""


def _name(node: tree_sitter.Node) -> bytes | None:
    named = node.child_by_field_name("name")
    return None if named is None else named.text
