"""Which objects a type allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import tree_sitter

from gitscalpel.meaning.javascript import words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Elsewhere, Function, Instance, Unknown, Value

_BODIES = ("object_type", "intersection_type")
_PLAIN = ("array_type", "tuple_type", "literal_type", "template_literal_type", "type_predicate_annotation")
_OF_THEIR_PART = frozenset({"Promise", "Readonly", "Partial", "Required", "NonNullable", "Awaited"})
_OPEN = frozenset({"any", "unknown", "object"})


def objects(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Iterator[Value]:
    """What may be where the type stands."""
    read = _READ.get(node.type) if node is not None else None
    if node is None:
        yield Unknown("it has no type")
    elif read is not None:
        yield from read(resolver, path, node)
    elif node.type in _BODIES:
        yield Instance(Class(path, node))
    elif node.type == "function_type":
        yield Function(path, node)
    else:
        yield _other(resolver, path, node)


def _inner(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from objects(resolver, path, node.named_children[0] if node.named_children else None)


def _named(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for value in resolver.values(path, node):
        yield Instance(value) if isinstance(value, Class) else value


def _query(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """``typeof x``."""
    yield from resolver.values(path, node.named_children[0])


def _this(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from resolver.values(path, node)


def _union(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for part in node.named_children:
        if words.text(resolver, path, part) not in ("null", "undefined", "void"):
            yield from objects(resolver, path, part)


def _generic(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    name, given = node.child_by_field_name("name"), node.child_by_field_name("type_arguments")
    if words.text(resolver, path, name) in _OF_THEIR_PART and given is not None:
        yield from objects(resolver, path, given.named_children[0])
    else:
        yield from objects(resolver, path, name)


def _other(resolver: Resolver, path: str, node: tree_sitter.Node) -> Value:
    is_open = words.text(resolver, path, node) in _OPEN
    if node.type in _PLAIN or (node.type == "predefined_type" and not is_open):
        return Elsewhere("builtins")
    return Unknown("its type is not read here")


_READ: Mapping[str, Callable[[Resolver, str, tree_sitter.Node], Iterator[Value]]] = {
    **dict.fromkeys(("type_identifier", "identifier", "nested_type_identifier"), _named),
    **dict.fromkeys(("type_annotation", "parenthesized_type", "readonly_type", "asserts_annotation"), _inner),
    "union_type": _union,
    "generic_type": _generic,
    "type_query": _query,
    "this_type": _this,
}
"""How a kind of type is read."""
