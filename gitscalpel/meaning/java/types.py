"""Which values a type allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Elsewhere, Instance, Unknown, Value

_PLAIN = ("integral_type", "floating_point_type", "boolean_type", "void_type")


def objects(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Iterator[Value]:
    """What may be where a type stands."""
    if node is None:
        yield Unknown("it has no type")
        return
    for value in resolver.values(path, node):
        yield Instance(value) if isinstance(value, Class) else value


def element(resolver: Resolver, value: Value) -> Iterator[Value]:
    """What an array holds."""
    of = value.of if isinstance(value, Instance) else value
    if isinstance(of, Class) and of.node.type in ("array_type", "spread_parameter"):
        kind = of.node.child_by_field_name("element") or of.node.named_children[0]
        yield from objects(resolver, of.path, kind)
    else:
        yield Unknown("nobody can tell what it holds")


def _name(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for meaning in resolver.meanings(path, nodes.mention(resolver, path, node)):
        yield from resolver.worth(meaning)


def _last(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from resolver.values(path, node.named_children[-1])


def _first(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from resolver.values(path, node.named_children[0])


def _array(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield Class(path, node)


def _plain(_resolver: Resolver, _path: str, _node: tree_sitter.Node) -> Iterator[Value]:
    yield Elsewhere("the language")


READ: Mapping[str, Callable[[Resolver, str, tree_sitter.Node], Iterator[Value]]] = {
    "type_identifier": _name,
    "scoped_type_identifier": _last,
    "generic_type": _first,
    "array_type": _array,
    **dict.fromkeys(("annotated_type",), _last),
    **dict.fromkeys(_PLAIN, _plain),
}
"""How a kind of type is read."""
