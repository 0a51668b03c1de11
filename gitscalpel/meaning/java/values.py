"""What expressions may be worth: types, their objects, methods, packages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.java import classes, types
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Elsewhere, Function, Unknown, Value

_LITERALS = frozenset(
    {
        *("string_literal", "character_literal", "true", "false", "null_literal", "decimal_integer_literal"),
        *("hex_integer_literal", "octal_integer_literal", "binary_integer_literal", "class_literal"),
        *("decimal_floating_point_literal", "binary_expression", "unary_expression", "update_expression"),
        *("instanceof_expression", "lambda_expression", "method_reference"),
    }
)


def of(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What an expression or type may be worth."""
    read = _READ.get(node.type) or types.READ.get(node.type)
    if node.type in _LITERALS:
        yield Elsewhere("the language")
    elif read is None:
        yield Unknown(f"nobody can tell what a {node.type.replace('_', ' ')} gives")
    else:
        yield from read(resolver, path, node)


def _name(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for meaning in resolver.meanings(path, nodes.mention(resolver, path, node)):
        yield from resolver.worth(meaning)


def _this(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from classes.this(path, node)


def _field(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """``a.b``, and ``Outer.this``."""
    last, before = node.child_by_field_name("field"), node.child_by_field_name("object")
    if last is not None and last.type == "this":
        yield from types.objects(resolver, path, before)
    elif last is not None:
        yield from resolver.values(path, last)


def _scoped(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    last = node.child_by_field_name("name")
    yield from resolver.values(path, last) if last is not None else ()


def _called(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    name = node.child_by_field_name("name")
    for value in resolver.values(path, name) if name is not None else ():
        if isinstance(value, Function):
            yield from _returned(resolver, value)
        else:
            known = isinstance(value, Unknown)
            yield value if known else Unknown("what it calls is defined outside")


def _returned(resolver: Resolver, function: Function) -> Iterator[Value]:
    given = function.node.child_by_field_name("type_parameters")
    kind = function.node.child_by_field_name("type")
    own = [nodes.text(resolver, function.path, each) for each in (given.named_children if given else ())]
    if kind is not None and any(nodes.text(resolver, function.path, kind) == each.split()[0] for each in own):
        yield Unknown("its type is chosen where it is called")
    else:
        yield from types.objects(resolver, function.path, kind)


def _typed(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from types.objects(resolver, path, node.child_by_field_name("type"))


def _indexed(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    array = node.child_by_field_name("array")
    for value in resolver.values(path, array) if array is not None else ():
        yield from types.element(resolver, value)


def _inner(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from resolver.values(path, node.named_children[0]) if node.named_children else ()


def _either(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for field in ("consequence", "alternative"):
        part = node.child_by_field_name(field)
        yield from resolver.values(path, part) if part is not None else ()


def _assigned(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    right = node.child_by_field_name("right")
    yield from resolver.values(path, right) if right is not None else ()


_READ: Mapping[str, Callable[[Resolver, str, tree_sitter.Node], Iterator[Value]]] = {
    "identifier": _name,
    "this": _this,
    "super": classes.parent,
    "field_access": _field,
    "scoped_identifier": _scoped,
    "method_invocation": _called,
    **dict.fromkeys(("object_creation_expression", "cast_expression"), _typed),
    "array_access": _indexed,
    "parenthesized_expression": _inner,
    "ternary_expression": _either,
    "assignment_expression": _assigned,
}
"""How a kind of expression is read."""
