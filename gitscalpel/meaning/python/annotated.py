"""Which objects a type annotation allows (PEP 484, PEP 604)."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.python import spelled, words
from gitscalpel.meaning.python.spelled import Spelled
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Elsewhere, Instance, Unknown, Value

_OF_THEIR_PARTS = frozenset(
    {"Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly"}
)
_ANYTHING = frozenset({"Any", "object", "type", "Type"})
_NOTED = "Annotated"
"""Of which the first part alone is a type."""
_CLASSES = ("type", "Type")
"""Of which the objects are classes."""


def objects(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What may be where the annotation stands."""
    node = _inner(node)
    if node.type == "binary_operator":  # A | B
        for part in node.named_children:
            yield from objects(resolver, path, part)
    elif node.type in ("subscript", "generic_type"):
        yield from _generic(resolver, path, node)
    elif node.type in ("identifier", "attribute"):
        for value in resolver.values(path, node):
            yield from _object(path, node, words.last(resolver, path, node), value)
    elif node.type == "string":
        yield from _quoted(resolver, path, node)
    elif node.type != "none":
        yield Unknown("its annotation is not read here")


def parts(resolver: Resolver, path: str, node: tree_sitter.Node, steps: tuple[int, ...]) -> Iterator[Value]:
    """What may be in a part of a part … of what the annotation allows, where it says ``tuple[A, B]``."""
    node = _inner(node)
    if not steps:
        yield from objects(resolver, path, node)
        return
    first = node.named_children[0] if node.type in ("subscript", "generic_type") else node
    inside = given(node) if words.last(resolver, path, first) in ("tuple", "Tuple") else []
    if len(inside) == 2 and _inner(inside[1]).type == "ellipsis":
        yield from parts(resolver, path, inside[0], steps[1:])
    elif -len(inside) <= steps[0] < len(inside):
        yield from parts(resolver, path, inside[steps[0]], steps[1:])
    else:
        yield Unknown("it is bound by what is taken apart")


def given(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    """What stands in the brackets of a type."""
    node = _inner(node)
    return [
        each
        for part in node.named_children[1:]
        for each in (part.named_children if part.type == "type_parameter" else [part])
    ]


def _inner(node: tree_sitter.Node) -> tree_sitter.Node:
    return _inner(node.named_children[0]) if node.type == "type" and node.named_children else node


def _object(path: str, node: tree_sitter.Node, name: str, value: Value) -> Iterator[Value]:
    """An object of what an annotation names."""
    if isinstance(value, Elsewhere) and name == "Self":
        owner = node.parent
        while owner is not None and owner.type != "class_definition":
            owner = owner.parent
        yield Unknown("it is itself") if owner is None else Instance(Class(path, owner))
    elif isinstance(value, Elsewhere) and name in _ANYTHING:
        yield Unknown("it may be anything")
    else:
        yield Instance(value) if isinstance(value, Class) else value


def _quoted(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """``"A.B | Optional[C]"``: names that are looked up where the string stands."""
    text = resolver.lexical(path).text[node.start_byte : node.end_byte]
    for each in spelled.read(text):
        yield from _spelled(resolver, path, node, each)


def _spelled(resolver: Resolver, path: str, node: tree_sitter.Node, one: Spelled) -> Iterator[Value]:
    """What one of the types in a string allows."""
    first, *rest = one.said.decode().split(".")
    last = [first, *rest][-1]
    if not first:
        yield Unknown("its annotation is not read here")
    elif (last in _CLASSES and one.given) or last in _OF_THEIR_PARTS:
        inside = one.given[:1] if last == _NOTED else one.given
        for each in (each for alternatives in inside for each in alternatives):
            for value in _spelled(resolver, path, node, each):
                yield value.of if isinstance(value, Instance) and last in _CLASSES else value
    elif first != "None":
        for value in followed(resolver, path, first, node.start_byte + one.start, rest):
            yield from _object(path, node, last, value)


def followed(resolver: Resolver, path: str, first: str, start: int, rest: list[str]) -> list[Value]:
    """What a dotted name is worth whose first word stands at a byte."""
    named = resolver.named(path, resolver.lexical(path).mentions.at(first, start))
    values = [value for meaning in named for value in resolver.worth(meaning)]
    for name in rest:
        members = [member for value in values for member in resolver.members(value, name)]
        values = [value for member in members for value in resolver.worth(member)]
    return values


def _generic(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    first = node.named_children[0]
    if words.last(resolver, path, first) in _CLASSES:
        for each in given(node):
            for value in objects(resolver, path, each):
                yield value.of if isinstance(value, Instance) else value
        return
    if words.last(resolver, path, first) not in _OF_THEIR_PARTS:
        yield from objects(resolver, path, first)
        return
    inside = given(node)
    for each in inside[:1] if words.last(resolver, path, first) == _NOTED else inside:
        yield from objects(resolver, path, each)
