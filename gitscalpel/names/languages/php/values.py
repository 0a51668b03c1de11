"""Infer the values of expressions, bindings and types of PHP."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import Class, Elsewhere, Function, Instance, Unknown, Value
from gitscalpel.names.languages.php import classes
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention

_OUTSIDE = Unknown("it is what something outside of the tree gives")
_LITERALS = ("string", "encapsed_string", "integer", "float", "boolean", "null", "primitive_type")
_PARAMETERS = ("simple_parameter", "property_promotion_parameter")
_CHANGING = (
    *("foreach_statement", "list_literal", "catch_clause", "global_declaration", "by_ref", "pair"),
    *("static_variable_declaration", "anonymous_function_use_clause", "variadic_parameter"),
    *("augmented_assignment_expression", "reference_assignment_expression", "unset_statement"),
)
_Read = Callable[[Resolver, str, tree_sitter.Node], Iterable[Value]]


def expression_values(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    """What an expression or type may be worth."""
    if node.type in _LITERALS:
        return (Elsewhere("the language"),)
    read = _READ.get(node.type)
    if read is None:
        return (Unknown(f"nobody can tell what a {node.type.replace('_', ' ')} gives"),)
    return read(resolver, path, node)


def instances_of(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Iterator[Value]:
    """What may be where a type stands."""
    for value in resolver.values(path, node) if node is not None else (Unknown("it has no type"),):
        yield Instance(value) if isinstance(value, Class) else value


def binding_values(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    """What a name is worth where it is bound."""
    above = mention.node.parent
    if mention.kind in ("import", "alias"):
        found = classes.import_meanings(resolver, path, mention)
        return [value for each in found for value in resolver.worth(each)]
    read = _BOUND.get(mention.kind, _case)
    return read(resolver, path, above) if above is not None else ()


def _class(_resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterable[Value]:
    return (Class(path, above),)


def _function(_resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterable[Value]:
    return (Function(path, above),)


def _case(_resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterable[Value]:
    """Of a case of an enum, the enum; what other constants are, nobody can tell."""
    own = classes.enclosing_class(path, above) if above.type == "enum_case" else None
    return (Instance(own),) if own is not None else (Unknown("nobody can tell what it is"),)


def _variable(resolver: Resolver, path: str, variable: tree_sitter.Node) -> Iterable[Value]:
    """What a variable is given where it stands; nothing where it is but used."""
    holder = variable.parent
    if holder is None or holder.type in _CHANGING:
        return (Unknown("it says no type"),)
    if holder.type in _PARAMETERS:
        return instances_of(resolver, path, holder.child_by_field_name("type"))
    if holder.type == "property_element":
        declaration = holder.parent
        return instances_of(resolver, path, declaration and declaration.child_by_field_name("type"))
    left, right = holder.child_by_field_name("left"), holder.child_by_field_name("right")
    if holder.type == "assignment_expression" and left == variable and right is not None:
        return resolver.values(path, right)
    return ()


_BOUND: Mapping[str, _Read] = {
    "class": _class,
    **dict.fromkeys(("function", "method"), _function),
    **dict.fromkeys(("variable", "property"), _variable),
}
"""How a name is read where it is bound, by its kind."""


def _name(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    if nodes.text(resolver, path, node).lower() in ("self", "static", "parent"):
        yield from classes.relative_type(resolver, path, node)
        return
    for meaning in resolver.meanings(path, nodes.mention(resolver, path, node)):
        yield from resolver.worth(meaning)


def _read_variable(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    if nodes.text(resolver, path, node) == "$this":
        return classes.type_of_this(path, node)
    return _name(resolver, path, node.named_children[0])


def _last(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    return resolver.values(path, node.named_children[-1])


def _member(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    name = node.child_by_field_name("name")
    if name is not None and name.type == "variable_name":
        name = name.named_children[0]
    if name is None or name.type != "name":
        return (Unknown("it is decided when the program runs"),)
    return [_OUTSIDE if isinstance(each, Elsewhere) else each for each in resolver.values(path, name)]


def _constant(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    return [
        _OUTSIDE if isinstance(e, Elsewhere) else e for e in resolver.values(path, node.named_children[-1])
    ]


def _called(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    name = node.child_by_field_name("name") or node.child_by_field_name("function")
    for value in resolver.values(path, name) if name is not None else ():
        if isinstance(value, Function):
            kind = value.node.child_by_field_name("return_type")
            yield from instances_of(resolver, value.path, kind)
        else:
            yield value if isinstance(value, Unknown) else _OUTSIDE


def _made(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    first = node.named_children[0]
    if first.type == "anonymous_class":
        yield Instance(Class(path, first))
    elif first.type in ("name", "qualified_name"):
        yield from instances_of(resolver, path, first)
    else:
        yield Unknown("it is decided when the program runs")


def _inner(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    return resolver.values(path, node.named_children[0]) if node.named_children else ()


_READ: Mapping[str, _Read] = {
    "name": _name,
    "variable_name": _read_variable,
    "qualified_name": _last,
    **dict.fromkeys(("named_type", "optional_type", "parenthesized_expression", "clone_expression"), _inner),
    "relative_scope": classes.relative_type,
    **dict.fromkeys(
        (
            *("member_access_expression", "nullsafe_member_access_expression"),
            "scoped_property_access_expression",
        ),
        _member,
    ),
    "class_constant_access_expression": _constant,
    **dict.fromkeys(
        (
            *("member_call_expression", "nullsafe_member_call_expression", "scoped_call_expression"),
            "function_call_expression",
        ),
        _called,
    ),
    "object_creation_expression": _made,
}
"""How a kind of expression or type is read."""
