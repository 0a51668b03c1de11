"""Names in strings that certainly are names: in ``__all__``, ``__slots__``, and annotations in quotes."""

from __future__ import annotations

from collections.abc import Iterable

import tree_sitter

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Meaning
from gitscalpel.syntax.mentions import Mention

_ADDS = ("append", "extend", "remove")


def meant(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a word in a string names; nothing where it is just text."""
    string = mention.node
    while string.type != "string" and string.parent is not None:
        string = string.parent
    if string.type != "string" or any(child.type == "interpolation" for child in string.children):
        return ()
    text = resolver.lexical(path).text
    inner = text[string.start_byte : string.end_byte]
    if inner.strip(b"rRbBuU").strip(b"'\"") == mention.name.encode("utf-8", "surrogateescape"):
        listed = _list_of(string, text)
        if listed == b"__all__":
            root = resolver.lexical(path).syntax.root
            return (Binding(path, (root.start_byte, root.end_byte), "module", mention.name),)
        if listed == b"__slots__" and mention.scopes[0].kind == "class":
            return (Binding(path, mention.scopes[0].span, "class", mention.name),)
    if _is_annotation(string) and text[mention.start - 1 : mention.start] != b".":
        return resolver.named(path, mention)
    return ()


def _list_of(string: tree_sitter.Node, text: bytes) -> bytes | None:
    """The name of the list that a string is an item of."""
    node = string.parent
    while node is not None and node.type in (
        "list",
        "tuple",
        "expression_list",
        "set",
        "binary_operator",
        "argument_list",
    ):
        node = node.parent
    if node is None:
        return None
    if node.type in ("assignment", "augmented_assignment"):
        left = node.child_by_field_name("left")
        return None if left is None else text[left.start_byte : left.end_byte]
    if node.type == "call":
        called = node.child_by_field_name("function")
        words = (text[called.start_byte : called.end_byte] if called else b"").split(b".")
        return words[0] if len(words) == 2 and words[1].decode("utf-8", "replace") in _ADDS else None
    return None


def _is_annotation(string: tree_sitter.Node) -> bool:
    node: tree_sitter.Node | None = string.parent
    while node is not None and node.type in (
        "subscript",
        "generic_type",
        "type_parameter",
        "binary_operator",
        "tuple",
        "list",
    ):
        node = node.parent
    return node is not None and node.type == "type"
