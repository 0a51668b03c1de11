"""What expressions may be worth: types, their values, functions, packages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.go import calls, literals, types
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Elsewhere, Function, Instance, Unknown, Value

_LITERALS = frozenset(
    {
        *("interpreted_string_literal", "raw_string_literal", "int_literal", "float_literal", "rune_literal"),
        *("imaginary_literal", "true", "false", "nil", "iota"),
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
        case = _case(resolver, meaning, node) if isinstance(meaning, Binding) else None
        yield from types.objects(resolver, path, case) if case is not None else resolver.worth(meaning)


def _case(resolver: Resolver, binding: Binding, node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The one type that a name has in the case of a type switch in which it stands."""
    if binding.kind != "block":
        return None
    for place in resolver.binders(binding):
        switch = place.mention.node.parent and place.mention.node.parent.parent
        case = nodes.around(node, "type_case")
        while case is not None and switch is not None and case.parent != switch:
            case = nodes.around(case, "type_case")
        if switch is not None and switch.type == "type_switch_statement" and case is not None:
            kinds = case.children_by_field_name("type")
            return kinds[0] if len(kinds) == 1 else None
    return None


def _selected(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    field = node.child_by_field_name("field")
    yield from resolver.values(path, field) if field is not None else ()


def _typed(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from types.objects(resolver, path, node.child_by_field_name("type"))


def _operand(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    inner = node.child_by_field_name("operand") or node.child_by_field_name("left") or node.named_children[0]
    yield from resolver.values(path, inner)


def _unary(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for value in _operand(resolver, path, node):
        yield from types.element(resolver, value) if node.children[0].type == "<-" else (value,)


def _indexed(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for value in _operand(resolver, path, node):
        yield from types.element(resolver, value) if isinstance(value, Instance) else (value,)


def _function(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield Function(path, node)


def _call(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from calls.given(resolver, path, node, 0)


def _literal(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for value in literals.kinds(resolver, path, node):
        yield from types.objects(resolver, path, node) if node.type != "literal_value" else (value,)


_READ: Mapping[str, Callable[[Resolver, str, tree_sitter.Node], Iterator[Value]]] = {
    **dict.fromkeys(("identifier", "field_identifier", "package_identifier"), _name),
    "selector_expression": _selected,
    "call_expression": _call,
    **dict.fromkeys(("composite_literal", "type_assertion_expression", "type_conversion_expression"), _typed),
    "unary_expression": _unary,
    **dict.fromkeys(("parenthesized_expression", "slice_expression", "binary_expression"), _operand),
    "index_expression": _indexed,
    "func_literal": _function,
    "literal_value": _literal,
}
"""How a kind of expression is read."""
