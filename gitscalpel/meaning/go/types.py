"""Which values a type allows: pointers are what they point to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Elsewhere, Instance, Unknown, Value

_HELD = (
    "slice_type",
    "array_type",
    "implicit_length_array_type",
    "map_type",
    "channel_type",
    "function_type",
)


def objects(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Iterator[Value]:
    """What may be where a type stands."""
    if node is None:
        yield Unknown("it has no type")
        return
    for value in resolver.values(path, node):
        yield Instance(value) if isinstance(value, Class) else value


def underlying(resolver: Resolver, value: Value) -> Iterator[Value]:
    """What a type consists of, whatever it is called."""
    of = value.of if isinstance(value, Instance) else value
    if not isinstance(of, Class) or of.node.type != "type_spec":
        yield of
        return
    key = ("underlying", of.path, of.node.start_byte)
    kind = of.node.child_by_field_name("type")
    yield from resolver.once(key, lambda: _underlying(resolver, of.path, kind), ())


def _underlying(resolver: Resolver, path: str, kind: tree_sitter.Node | None) -> Iterator[Value]:
    for value in resolver.values(path, kind) if kind is not None else ():
        yield from underlying(resolver, value)


def element(resolver: Resolver, value: Value, field: str = "value") -> Iterator[Value]:
    """What a value of many holds: of a map its values, or its keys (``key``)."""
    for each in underlying(resolver, value):
        if not isinstance(each, Class):
            yield each
            continue
        node = each.node
        inner = node.child_by_field_name("element") if field == "value" else None
        if node.type == "variadic_parameter_declaration":
            inner = node.child_by_field_name("type")
        inner = inner or node.child_by_field_name(field)
        if inner is None:
            yield Unknown("nobody can tell what it holds") if field == "value" else Elsewhere("the language")
        else:
            yield from objects(resolver, each.path, inner)


def _name(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for meaning in resolver.meanings(path, nodes.mention(resolver, path, node)):
        yield from resolver.worth(meaning)


def _qualified(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    last = node.child_by_field_name("name")
    yield from resolver.values(path, last) if last is not None else ()


def _inner(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from resolver.values(path, node.named_children[0]) if node.named_children else ()


def _struct(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for child in node.named_children:
        if child.type == "field_declaration_list":
            yield Class(path, child)


def _itself(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield Class(path, node)


READ: Mapping[str, Callable[[Resolver, str, tree_sitter.Node], Iterator[Value]]] = {
    "type_identifier": _name,
    "qualified_type": _qualified,
    **dict.fromkeys(
        ("pointer_type", "generic_type", "parenthesized_type", "type_elem", "negated_type"), _inner
    ),
    "struct_type": _struct,
    "interface_type": _itself,
    **dict.fromkeys(_HELD, _itself),
}
"""How a kind of type is read."""
