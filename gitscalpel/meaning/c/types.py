"""Which values a type allows. Pointers, references and arrays are taken for what they lead to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.c import classes
from gitscalpel.meaning.c.signatures import word
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Elsewhere, Instance, Unknown, Value

_POINTERS = frozenset({"unique_ptr", "shared_ptr", "optional", "reference_wrapper"})
_HOLDERS = frozenset(
    {
        *("vector", "array", "deque", "list", "forward_list", "span", "set", "multiset", "unordered_set"),
        *("initializer_list", "queue", "stack"),
    }
)


def objects(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Iterator[Value]:
    """What may be where a type stands."""
    if node is None:
        yield Unknown("it has no type")
        return
    for value in resolver.values(path, node):
        yield Instance(value) if isinstance(value, Class) else value


def pointed(resolver: Resolver, value: Value) -> Iterator[Value]:
    """What ``->`` and ``*`` lead to."""
    yield from _argument(resolver, value, _POINTERS, "operator->")


def element(resolver: Resolver, value: Value) -> Iterator[Value]:
    """What an array or a container holds."""
    yield from _argument(resolver, value, _HOLDERS, "operator[]")


def _argument(resolver: Resolver, value: Value, known: frozenset[str], by: str) -> Iterator[Value]:
    of = value.of if isinstance(value, Instance) else value
    if isinstance(of, Class) and of.node.type == "template_type":
        given = of.node.child_by_field_name("arguments")
        if word(of.node.child_by_field_name("name")) in known and given is not None and given.named_children:
            yield from objects(resolver, of.path, given.named_children[0])
        else:
            yield Unknown("nobody can tell what it leads to")
    elif isinstance(of, Class) and any(_has(each, by) for each in resolver.ancestry(of)):
        yield Unknown(f"{by} says what it leads to")
    else:
        yield Unknown("nobody can tell what it leads to") if isinstance(of, Elsewhere) else value


def _has(of: Value, by: str) -> bool:
    return isinstance(of, Class) and by in word(of.node).replace(" ", "")


def _name(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for meaning in resolver.meanings(path, nodes.mention(resolver, path, node)):
        yield from resolver.worth(meaning)


def _qualified(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    last = node.child_by_field_name("name")
    yield from resolver.values(path, last) if last is not None else ()


def _template(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    name = node.child_by_field_name("name")
    found = list(resolver.values(path, name)) if name is not None else []
    if found and all(isinstance(each, Elsewhere) for each in found):
        yield Class(path, node)
    else:
        yield from classes.special(resolver, node, found)


def _specified(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """``struct S``, with a body or without."""
    body, name = node.child_by_field_name("body"), node.child_by_field_name("name")
    if body is not None:
        yield Class(path, body)
    elif name is not None:
        yield from resolver.values(path, name)


def _inner(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    kind = node.child_by_field_name("type") or (node.named_children[-1] if node.named_children else None)
    yield from resolver.values(path, kind) if kind is not None else ()


def _plain(_resolver: Resolver, _path: str, _node: tree_sitter.Node) -> Iterator[Value]:
    yield Elsewhere("the language")


READ: Mapping[str, Callable[[Resolver, str, tree_sitter.Node], Iterator[Value]]] = {
    **dict.fromkeys(("type_identifier", "namespace_identifier"), _name),
    "qualified_identifier": _qualified,
    "template_type": _template,
    **dict.fromkeys(classes.SPECIFIERS, _specified),
    **dict.fromkeys(("type_descriptor", "dependent_type", "decltype", "trailing_return_type"), _inner),
    "nested_namespace_specifier": _inner,
    **dict.fromkeys(("primitive_type", "sized_type_specifier"), _plain),
}
"""How a kind of type is read."""
