"""Which values a type allows: references and boxes are what they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import tree_sitter

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.rust import words
from gitscalpel.meaning.things import Class, Elsewhere, Instance, Unknown, Value

_HOLDERS = frozenset({"Box", "Rc", "Arc"})
_CHOSEN = ("type_parameter", "const_parameter")
_PLAIN = ("primitive_type", "tuple_type", "unit_type", "array_type", "function_type", "never_type")


def objects(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Iterator[Value]:
    """What may be where the type stands."""
    if node is None:
        yield Unknown("it has no type")
        return
    for value in resolver.values(path, node):
        yield Instance(value) if isinstance(value, Class) else value


def seen_from_outside(value: Value) -> Value:
    """What a type is to those who do not know what its parameters are."""
    of = value.of if isinstance(value, Instance) else value
    is_open = isinstance(of, Class) and of.node.type in ("type_parameter", "associated_type")
    return Unknown("its type is chosen elsewhere") if is_open else value


def _inner(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    kind = node.child_by_field_name("type")
    yield from resolver.values(path, kind) if kind is not None else ()


def _generic(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    given = node.child_by_field_name("type_arguments")
    kind = node.child_by_field_name("type")
    if words.text(resolver, path, kind) in _HOLDERS and given is not None and given.named_children:
        yield from resolver.values(path, given.named_children[0])
    elif kind is not None:
        for value in resolver.values(path, kind):
            argument = _argument(value, given) if given is not None else None
            yield from ((seen_from_outside(value),) if argument is None else resolver.values(path, argument))


def _argument(value: Value, given: tree_sitter.Node) -> tree_sitter.Node | None:
    """What an alias is given for the parameter that it is an alias of (``type Of<T> = T``)."""
    node = value.node if isinstance(value, Class) else None
    declared = node.parent if node is not None and node.type == "type_parameter" else None
    if node is None or declared is None or declared.parent is None or declared.parent.type != "type_item":
        return None
    names = [each.id for each in declared.named_children if each.type in _CHOSEN]
    arguments = [each for each in given.named_children if each.type != "lifetime"]
    at = names.index(node.id)
    return arguments[at] if at < len(arguments) else None


def _bracketed(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """``<T>``, and ``<T as Trait>``, of which the trait's are asked for."""
    (inner, *_) = node.named_children
    trait = inner.child_by_field_name("alias") if inner.type == "qualified_type" else None
    yield from resolver.values(path, trait or inner)


def _some(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield Class(path, node)


def _plain(_resolver: Resolver, _path: str, _node: tree_sitter.Node) -> Iterator[Value]:
    yield Elsewhere("the language")


READ: Mapping[str, Callable[[Resolver, str, tree_sitter.Node], Iterator[Value]]] = {
    **dict.fromkeys(("reference_type", "pointer_type"), _inner),
    "generic_type": _generic,
    "generic_type_with_turbofish": _generic,
    "bracketed_type": _bracketed,
    **dict.fromkeys(("abstract_type", "dynamic_type"), _some),
    **dict.fromkeys(_PLAIN, _plain),
}
"""How a kind of type is read."""
