"""Readings of syntax nodes: the values that an expression, a type or a declaration may have.

A reading is a function of the resolver, a file and a node. A language is a table of readings by node type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol, TypeAlias, TypeVar

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import Class, Elsewhere, Function, Instance, Unknown, Value, object_of
from gitscalpel.names.nodes import find_part
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention

Reading: TypeAlias = Callable[[Resolver, str, tree_sitter.Node], Iterable[Value]]
_Reader = TypeVar("_Reader")
ElementReading: TypeAlias = Callable[[Resolver, Value], Iterable[Value]]
"""Function that returns the values of the elements of a container."""
BindingReading: TypeAlias = Callable[[Resolver, str, Mention, tree_sitter.Node], Iterable[Value]]
"""Function that returns the values of a name where it is bound, by the occurrence and the node around it."""


class ExpressionReading(Protocol):
    """A reading of all expressions and types of a language."""

    def __call__(self, resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]: ...


OF_LANGUAGE = Elsewhere("the language")
OUTSIDE = Unknown("its value comes from outside the tree")


def reading_table(*rows: tuple[str, _Reader]) -> Mapping[str, _Reader]:
    """Return a table of readers by node type, from rows that name node types separated by spaces."""
    return {kind: reading for kinds, reading in rows for kind in kinds.split()}


def of_declaration(reading: Reading) -> BindingReading:
    """Return the reading of a binding by the node around its name."""
    return lambda resolver, path, _mention, above: reading(resolver, path, above)


def read_expressions(
    literals: str, *rows: tuple[str, Reading], literal: Value = OF_LANGUAGE
) -> ExpressionReading:
    """Return the reading of all expressions and types; ``literal`` is the value of literals."""
    table = reading_table((literals, lambda _resolver, _path, _node: (literal,)), *rows)

    def read(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
        reading = table.get(node.type)
        if reading is None:
            return (Unknown(f"the value of a {node.type.replace('_', ' ')} is unknown"),)
        return reading(resolver, path, node)

    return read


def values_of_name(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Iterator[Value]:
    """Yield the values of the meanings of a name; none without a node."""
    return resolver.values_of_each(nodes.meanings_of(resolver, path, node))


def class_itself(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    return (Class(path, node),)


def object_itself(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    """Read a node that declares a singleton object."""
    return (Instance(Class(path, node)),)


def function_itself(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    return (Function(path, node),)


def as_instances(values: Iterable[Value]) -> Iterator[Value]:
    """Yield the instances of classes; other values stay as they are."""
    return map(object_of, values)


def always(*values: Value) -> Reading:
    """Return the reading that takes the same values of every node."""
    return lambda _resolver, _path, _node: values


def instances_of(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Iterator[Value]:
    """Yield the instances of a type; unknown without a type."""
    return as_instances(resolver.values(path, node) if node is not None else (Unknown("it has no type"),))


def object_around(otherwise: str, *types: str) -> Reading:
    """Return a reading of ``this``: the instance of the innermost class around, by its node type."""

    def read(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
        around = nodes.ancestor(node, *types)
        return (Instance(Class(path, around)) if around is not None else Unknown(otherwise),)

    return read


def base_objects(bases: Callable[[Resolver, Class], Iterable[Value]], top: str, *types: str) -> Reading:
    """Return a reading of ``super``: the instances of the bases of the class around, or else of ``top``."""

    def read(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
        around = nodes.ancestor(node, *types)
        values = tuple(as_instances(bases(resolver, Class(path, around)))) if around is not None else ()
        return values or (Elsewhere(top),)

    return read


def value_of(*parts: str | int) -> Reading:
    """Return a reading of the first part that the node has."""

    def read(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
        return resolver.values(path, find_part(node, *parts))

    return read


def value_of_each(*parts: str | int) -> Reading:
    return lambda resolver, path, node: (
        value for each in parts for value in value_of(each)(resolver, path, node)
    )


def instance_of(*parts: str | int) -> Reading:
    """Return a reading of the instances of the type in the first part that the node has."""
    return lambda resolver, path, node: instances_of(resolver, path, find_part(node, *parts))


def unknown_outside(reading: Reading) -> Reading:
    """Return a reading in which values from outside the tree are unknown."""
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
    """Return a reading of a call; ``outside`` is the value if the callee is neither function nor class.

    With ``creates``, calling a class creates an object.
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


def declared_results(*parts: str | int) -> Callable[[Resolver, Function], Iterable[Value]]:
    """Return a function that takes the results of a function from the type in its first existing part."""
    return lambda resolver, of: instances_of(resolver, of.path, find_part(of.node, *parts))


def element_by_type(kinds: str, *parts: str | int) -> ElementReading:
    """Return a reading of the elements of array types, given by their node types."""

    def read(resolver: Resolver, value: Value) -> Iterator[Value]:
        own = value.of if isinstance(value, Instance) else value
        if isinstance(own, Class) and own.node.type in kinds.split():
            yield from instances_of(resolver, own.path, find_part(own.node, *parts))
        else:
            yield Unknown("its elements are unknown")

    return read


def elements_of(holder: Reading, element: ElementReading) -> Reading:
    """Return a reading of the elements of another reading's values."""
    return lambda resolver, path, node: (
        value_element for value in holder(resolver, path, node) for value_element in element(resolver, value)
    )
