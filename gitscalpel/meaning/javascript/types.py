"""Which objects a type allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import tree_sitter

from gitscalpel.meaning.javascript import words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Elsewhere, Function, Instance, Unknown, Value

_BODIES = ("object_type", "intersection_type")
_PLAIN = ("array_type", "tuple_type", "literal_type", "template_literal_type", "type_predicate_annotation")
_OF_THEIR_PART = frozenset(
    {"Promise", "Readonly", "Partial", "Required", "NonNullable", "Awaited", "Pick", "Omit"}
)
_OPEN = frozenset({"any", "unknown", "object"})


def objects(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Iterator[Value]:
    """What may be where the type stands."""
    read = _READ.get(node.type) if node is not None else None
    if node is None:
        yield Unknown("it has no type")
    elif read is not None:
        yield from read(resolver, path, node)
    elif node.type in _BODIES:
        yield from _body(resolver, path, node)
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
        return
    for value in objects(resolver, path, name):
        at = _substituted(resolver, value)
        if at is not None and given is not None and at < len(given.named_children):
            yield from objects(resolver, path, given.named_children[at])
        else:
            yield value


def _substituted(resolver: Resolver, value: Value) -> int | None:
    """Return the place of the type argument whose members a mapped type has."""
    of = value.of if isinstance(value, Instance) else None
    over = _mapped(of.node) if of is not None and of.node.type == "object_type" else None
    return _parameter(resolver, of.path, of.node, over) if of is not None and over is not None else None


def _body(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """A type that is written out; of a mapped type, the one whose members it has."""
    over = _mapped(node)
    if over is None or _parameter(resolver, path, node, over) is not None:
        yield Instance(Class(path, node))
    else:
        yield from objects(resolver, path, over)


def _mapped(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the ``T`` of ``{ [K in keyof T]: … }``."""
    inner = node.named_children[0].named_children if node.named_children else []
    clause = next((each for each in inner if each.type == "mapped_type_clause"), None)
    over = clause.child_by_field_name("type") if clause is not None else None
    is_renamed = clause is not None and clause.child_by_field_name("alias") is not None
    return (
        over.named_children[0]
        if over is not None and over.type == "index_type_query" and not is_renamed
        else None
    )


def _parameter(resolver: Resolver, path: str, node: tree_sitter.Node, over: tree_sitter.Node) -> int | None:
    """Return the place of a type among the type parameters of the alias around it."""
    alias = words.around(node, "type_alias_declaration")
    given = alias.child_by_field_name("type_parameters") if alias is not None else None
    names = [each.child_by_field_name("name") for each in given.named_children] if given is not None else []
    said = words.text(resolver, path, over)
    return next((at for at, each in enumerate(names) if words.text(resolver, path, each) == said), None)


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
