"""Infer the values of expressions, bindings and types of C#."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import Class, Elsewhere, Function, Instance, Unknown, Value
from gitscalpel.names.languages.csharp import classes
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention

_PLAIN = frozenset(
    {
        *(
            "string_literal",
            "verbatim_string_literal",
            "raw_string_literal",
            "interpolated_string_expression",
        ),
        *("integer_literal", "real_literal", "boolean_literal", "character_literal", "null_literal"),
        *("predefined_type", "typeof_expression", "sizeof_expression"),
    }
)
_OUTSIDE = Unknown("it is what something outside of the tree gives")
_Read = Callable[[Resolver, str, tree_sitter.Node], Iterable[Value]]


def expression_values(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    """What an expression or type may be worth."""
    read = _READ.get(node.type)
    if node.type in _PLAIN:
        return (Elsewhere("the language"),)
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
    if above is None or mention.node.type == "implicit_parameter":
        return (Unknown("it is bound by a function that says no type"),)
    if above.type in classes.TYPES or above.type == "delegate_declaration":
        return (Class(path, above),)
    if above.type in ("method_declaration", "local_function_statement"):
        return (Function(path, above),)
    if above.type == "using_directive":
        return resolver.values(path, above.named_children[-1])
    if above.type == "enum_member_declaration":
        holder = nodes.ancestor(above, "enum_declaration")
        return (Instance(Class(path, holder)),) if holder is not None else ()
    return _declared(resolver, path, above)


def _declared(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    """By the type of a declaration; ``var`` by what it is given."""
    holder = above.parent if above.type == "variable_declarator" else above
    kind = holder.child_by_field_name("type") if holder is not None else None
    if kind is None or above.type == "type_parameter":
        yield Unknown("it says no type")
    elif kind.type != "implicit_type":
        yield from instances_of(resolver, path, kind)
    elif above.type == "variable_declarator" and len(above.named_children) > 1:
        yield from resolver.values(path, above.named_children[-1])
    elif above.type == "foreach_statement":
        right = above.child_by_field_name("right")
        for value in resolver.values(path, right) if right is not None else ():
            yield from element_of(resolver, value)
    else:
        yield Unknown("it says no type")


def element_of(resolver: Resolver, value: Value) -> Iterator[Value]:
    """What an array holds."""
    of = value.of if isinstance(value, Instance) else value
    if isinstance(of, Class) and of.node.type == "array_type":
        yield from instances_of(resolver, of.path, of.node.child_by_field_name("type"))
    else:
        yield Unknown("nobody can tell what it holds")


def _name(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for meaning in resolver.meanings(path, nodes.mention(resolver, path, node)):
        yield from resolver.worth(meaning)


def _last(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    """What a member is worth: of what is outside, nobody can tell."""
    name = node.child_by_field_name("name")
    found = resolver.values(path, name) if name is not None else ()
    return [_OUTSIDE if isinstance(each, Elsewhere) else each for each in found]


def _field(field: str) -> _Read:
    def read(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
        part = node.child_by_field_name(field)
        return resolver.values(path, part) if part is not None else ()

    return read


def _typed(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    return instances_of(resolver, path, node.child_by_field_name("type") or node.child_by_field_name("right"))


def _first(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    return resolver.values(path, node.named_children[0]) if node.named_children else ()


def _end(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    return resolver.values(path, node.named_children[-1])


def _nullable(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    kind = node.child_by_field_name("type")
    for value in resolver.values(path, kind) if kind is not None else ():
        is_object = isinstance(value, Class) and value.node.type in (
            "class_declaration",
            "interface_declaration",
        )
        yield value if is_object or not isinstance(value, Class) else Unknown("it may have no value")


def _called(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    called = node.child_by_field_name("function")
    for value in resolver.values(path, called) if called is not None else ():
        if isinstance(value, Function):
            of = value.node
            kind = of.child_by_field_name("returns") or of.child_by_field_name("type")
            yield from instances_of(resolver, value.path, kind)
        else:
            yield value if isinstance(value, Unknown) else _OUTSIDE


def _indexed(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for value in _field("expression")(resolver, path, node):
        yield from element_of(resolver, value)


def _either(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for field in ("consequence", "alternative"):
        yield from _field(field)(resolver, path, node)


def _this(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    return classes.type_of_this(path, node)


def _array(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    return (Class(path, node),)


_READ: Mapping[str, _Read] = {
    "identifier": _name,
    "generic_name": _first,
    **dict.fromkeys(("qualified_name", "member_access_expression", "member_binding_expression"), _last),
    "alias_qualified_name": _field("name"),
    **dict.fromkeys(("this", "this_expression"), _this),
    **dict.fromkeys(("base", "base_expression"), classes.type_of_base),
    "invocation_expression": _called,
    **dict.fromkeys(("object_creation_expression", "cast_expression", "as_expression"), _typed),
    "conditional_access_expression": _end,
    **dict.fromkeys(("parenthesized_expression", "checked_expression"), _first),
    "element_access_expression": _indexed,
    "conditional_expression": _either,
    "assignment_expression": _field("left"),
    "nullable_type": _nullable,
    "array_type": _array,
}
"""How a kind of expression or type is read."""
