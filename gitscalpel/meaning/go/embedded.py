"""Embedded fields: a type that stands in another without a name, and gives it its own."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.go import types
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Meaning, Value


def of(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """The types that are embedded in a struct's fields, or in an interface."""
    for child in node.named_children:
        if child.type == "field_declaration" and child.child_by_field_name("name") is None:
            kind = child.child_by_field_name("type")
            yield from () if kind is None else (kind,)
        elif child.type == "type_elem" and len(child.named_children) == 1:
            yield child.named_children[0]


def named(resolver: Resolver, of_value: Value, name: str) -> Iterator[Meaning]:
    """The embedded type of a name, which is that of its field as well."""
    for each in types.underlying(resolver, of_value):
        if not isinstance(each, Class):
            continue
        for kind in of(each.node):
            word = _word(kind)
            if word is not None and nodes.text(resolver, each.path, word) == name:
                yield from resolver.meanings(each.path, nodes.mention(resolver, each.path, word))


def _word(kind: tree_sitter.Node) -> tree_sitter.Node | None:
    """The last name of a type."""
    if kind.type == "type_identifier":
        return kind
    if kind.type == "qualified_type":
        return kind.child_by_field_name("name")
    inner = kind.named_children[0] if kind.named_children else None
    return _word(inner) if inner is not None and kind.type in ("generic_type", "pointer_type") else None
