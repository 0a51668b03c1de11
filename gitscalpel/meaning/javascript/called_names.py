"""Members that the language or what runs it calls by their names, where an object has the form for that.

Iterators (ECMA-262, 27.1.1), handlers of proxies (28.2), listeners and custom elements (DOM, HTML).
"""

from __future__ import annotations

from collections.abc import Mapping

import tree_sitter

from gitscalpel.meaning.javascript import words
from gitscalpel.meaning.resolve import Place, Resolver

_ITERATOR = frozenset({"next", "return", "throw"})
_RESULT = frozenset({"done", "value"})
_TRAPS = frozenset(
    {
        *("apply", "construct", "defineProperty", "deleteProperty", "get", "getOwnPropertyDescriptor"),
        *("getPrototypeOf", "has", "isExtensible", "ownKeys", "preventExtensions", "set", "setPrototypeOf"),
    }
)
_ALWAYS: Mapping[str, str] = {
    "handleEvent": "events are handed to it by this name",
    **dict.fromkeys(
        (
            *("connectedCallback", "disconnectedCallback", "adoptedCallback", "attributeChangedCallback"),
            *("observedAttributes", "formAssociatedCallback", "formResetCallback"),
        ),
        "the page calls it by this name in custom elements",
    ),
}
_MEMBERS = ("member", "static", "")


def why(resolver: Resolver, place: Place) -> str:
    """Return who calls what a place defines by its name; empty if nothing does."""
    mention, text = place.mention, resolver.lexical(place.path).text
    name, above = mention.name, words.owner(mention.node)
    if above is None or mention.kind not in _MEMBERS or (mention.role == "bind" and not mention.kind):
        return ""
    if name in _ALWAYS:
        return _ALWAYS[name]
    is_method = above.type == "method_definition" or _is_function(above)
    if name in _ITERATOR and is_method and b"terator]" in text:
        return "loops call it by this name where it is that of an iterator"
    if name in _RESULT and above.parent is not None and above.parent.type == "object":
        keys = {words.text(resolver, place.path, _key(each)) for each in above.parent.named_children}
        return (
            "loops read it by this name where it is that of an iterator's result" if keys >= _RESULT else ""
        )
    if name in _TRAPS and is_method and b"new Proxy(" in text:
        return "a proxy calls it by this name where it is that of its handler"
    return ""


def _key(pair: tree_sitter.Node) -> tree_sitter.Node | None:
    is_short = pair.type == "shorthand_property_identifier"
    return pair if is_short else pair.child_by_field_name("key") or pair.child_by_field_name("name")


def _is_function(above: tree_sitter.Node) -> bool:
    value = above.child_by_field_name("value")
    return value is not None and value.type in words.FUNCTIONS
