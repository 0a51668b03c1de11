"""Readings of syntax nodes: the values that an expression, a type or a declaration may have.

A reading is a function of the resolver, a file and a node. A language is a table of readings by the types
of its nodes. Readings that languages share are made here; what only one language has is a function of
the same form in its module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol, TypeAlias

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import Class, Elsewhere, Function, Instance, Unknown, Value
from gitscalpel.names.nodes import find_part
from gitscalpel.names.resolver import Resolver

Reading: TypeAlias = Callable[[Resolver, str, tree_sitter.Node], Iterable[Value]]
ElementReading: TypeAlias = Callable[[Resolver, Value], Iterable[Value]]
"""Function that returns the values of the elements of a container."""


class ExpressionReading(Protocol):
    """A reading of all expressions and types of a language."""

    def __call__(self, resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
        """Return the values that a node of a file may have."""


OF_LANGUAGE = Elsewhere("the language")
OUTSIDE = Unknown("it is what something outside of the tree gives")


def reading_table(*rows: tuple[str, Reading]) -> Mapping[str, Reading]:
    """Return the readings by node type, from rows of node types separated by spaces."""
    return {kind: reading for kinds, reading in rows for kind in kinds.split()}


def read_expressions(literals: str, *rows: tuple[str, Reading]) -> ExpressionReading:
    """Return the reading of all expressions and types of a language; literals are values of the language."""
    table = reading_table((literals, lambda _resolver, _path, _node: (OF_LANGUAGE,)), *rows)

    def read(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
        found = table.get(node.type)
        if found is None:
            return (Unknown(f"nobody can tell what a {node.type.replace('_', ' ')} gives"),)
        return found(resolver, path, node)

    return read


def values_of_name(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """Return the values of the meanings of a name."""
    for meaning in resolver.meanings(path, nodes.mention(resolver, path, node)):
        yield from resolver.values_of(meaning)


def class_itself(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    """Return the class that a node is."""
    return (Class(path, node),)


def object_itself(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    """Return the only object of the class that a node is."""
    return (Instance(Class(path, node)),)


def function_itself(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    """Return the function that a node is."""
    return (Function(path, node),)


def instances_of(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Iterator[Value]:
    """Yield the instances of a type; unknown without a type."""
    for value in resolver.values(path, node) if node is not None else (Unknown("it has no type"),):
        yield Instance(value) if isinstance(value, Class) else value


def value_of(*parts: str | int) -> Reading:
    """Return the reading that takes the values of the first existing part."""

    def read(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
        return resolver.values(path, find_part(node, *parts))

    return read


def value_of_each(*parts: str) -> Reading:
    """Return the reading that takes the values of each of some parts."""
    return lambda resolver, path, node: (
        value for each in parts for value in value_of(each)(resolver, path, node)
    )


def instance_of(*parts: str | int) -> Reading:
    """Return the reading that takes the instances of the type in the first existing part."""
    return lambda resolver, path, node: instances_of(resolver, path, find_part(node, *parts))


def unknown_outside(reading: Reading) -> Reading:
    """Return a reading that makes each value from outside the tree unknown."""
    return lambda resolver, path, node: [
        OUTSIDE if isinstance(each, Elsewhere) else each for each in reading(resolver, path, node)
    ]


def result_of(
    callee: Reading,
    returned: Callable[[Resolver, Function], Iterable[Value]],
    outside: Unknown = OUTSIDE,
    *,
    creates: bool = False,
) -> Reading:
    """Return the reading of a call.

    Args:
        callee: reading of the called expression.
        returned: the values that a function returns.
        outside: the value of a call of anything else.
        creates: True if the call of a class creates an object.
    """

    def read(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
        for value in callee(resolver, path, node):
            if isinstance(value, Function):
                yield from returned(resolver, value)
            elif creates and isinstance(value, Class):
                yield Instance(value)
            else:
                yield value if isinstance(value, Unknown) else outside

    return read


def element_by_type(kinds: str, *parts: str | int) -> ElementReading:
    """Return the reading of the elements of arrays with these types of type nodes."""

    def read(resolver: Resolver, value: Value) -> Iterator[Value]:
        own = value.of if isinstance(value, Instance) else value
        if isinstance(own, Class) and own.node.type in kinds.split():
            yield from instances_of(resolver, own.path, find_part(own.node, *parts))
        else:
            yield Unknown("nobody can tell what it holds")

    return read


def elements_of(holder: Reading, element: ElementReading) -> Reading:
    """Return the reading of the elements of another reading's values."""
    return lambda resolver, path, node: (
        one for value in holder(resolver, path, node) for one in element(resolver, value)
    )
