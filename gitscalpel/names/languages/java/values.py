"""Infer the values of expressions, bindings and types of Java."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import Class, Elsewhere, Function, Instance, Unknown, Value
from gitscalpel.names.languages.java import classes
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention

_PLAIN = ("integral_type", "floating_point_type", "boolean_type", "void_type")


def instances_of(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Iterator[Value]:
    """What may be where a type stands."""
    if node is None:
        yield Unknown("it has no type")
        return
    for value in resolver.values(path, node):
        yield Instance(value) if isinstance(value, Class) else value


def element_of(resolver: Resolver, value: Value) -> Iterator[Value]:
    """What an array holds."""
    of = value.of if isinstance(value, Instance) else value
    if isinstance(of, Class) and of.node.type in ("array_type", "spread_parameter"):
        kind = of.node.child_by_field_name("element") or of.node.named_children[0]
        yield from instances_of(resolver, of.path, kind)
    else:
        yield Unknown("nobody can tell what it holds")


def _type_name(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
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


TYPE_READERS: Mapping[str, Callable[[Resolver, str, tree_sitter.Node], Iterator[Value]]] = {
    "type_identifier": _type_name,
    "scoped_type_identifier": _last,
    "generic_type": _first,
    "array_type": _array,
    **dict.fromkeys(("annotated_type",), _last),
    **dict.fromkeys(_PLAIN, _plain),
}
"""How a kind of type is read."""


_LITERALS = frozenset(
    {
        *("string_literal", "character_literal", "true", "false", "null_literal", "decimal_integer_literal"),
        *("hex_integer_literal", "octal_integer_literal", "binary_integer_literal", "class_literal"),
        *("decimal_floating_point_literal", "binary_expression", "unary_expression", "update_expression"),
        *("instanceof_expression", "lambda_expression", "method_reference"),
    }
)


def expression_values(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What an expression or type may be worth."""
    read = _EXPRESSION_READERS.get(node.type) or TYPE_READERS.get(node.type)
    if node.type in _LITERALS:
        yield Elsewhere("the language")
    elif read is None:
        yield Unknown(f"nobody can tell what a {node.type.replace('_', ' ')} gives")
    else:
        yield from read(resolver, path, node)


def _identifier(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for meaning in resolver.meanings(path, nodes.mention(resolver, path, node)):
        yield from resolver.worth(meaning)


def _this(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from classes.type_of_this(path, node)


def _field(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """``a.b``, and ``Outer.this``."""
    last, before = node.child_by_field_name("field"), node.child_by_field_name("object")
    if last is not None and last.type == "this":
        yield from instances_of(resolver, path, before)
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
        yield from instances_of(resolver, function.path, kind)


def _of_written_type(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from instances_of(resolver, path, node.child_by_field_name("type"))


def _indexed(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    array = node.child_by_field_name("array")
    for value in resolver.values(path, array) if array is not None else ():
        yield from element_of(resolver, value)


def _inner(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from resolver.values(path, node.named_children[0]) if node.named_children else ()


def _either(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for field in ("consequence", "alternative"):
        part = node.child_by_field_name(field)
        yield from resolver.values(path, part) if part is not None else ()


def _assigned(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    right = node.child_by_field_name("right")
    yield from resolver.values(path, right) if right is not None else ()


_EXPRESSION_READERS: Mapping[str, Callable[[Resolver, str, tree_sitter.Node], Iterator[Value]]] = {
    "identifier": _identifier,
    "this": _this,
    "super": classes.type_of_super,
    "field_access": _field,
    "scoped_identifier": _scoped,
    "method_invocation": _called,
    **dict.fromkeys(("object_creation_expression", "cast_expression"), _of_written_type),
    "array_access": _indexed,
    "parenthesized_expression": _inner,
    "ternary_expression": _either,
    "assignment_expression": _assigned,
}
"""How a kind of expression is read."""


_Read = Callable[[Resolver, str, tree_sitter.Node], Iterable[Value]]


def binding_values(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    """What a name is worth where a mention binds it."""
    if mention.kind == "import":
        found = classes.import_origin(resolver, path, mention)
        return [value for each in found for value in resolver.worth(each)]
    above = mention.node.parent
    read = _BINDING_READERS.get(above.type) if above is not None else None
    return read(resolver, path, above) if read and above is not None else (Unknown("it is bound"),)


def _class(_resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    yield from classes.class_of_declaration(path, above)


def _method(_resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    yield Function(path, above)


def _declared(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    """A variable by the type of its declaration; ``var`` by what it is given."""
    holder = above.parent
    if holder is None:
        return
    if holder.type == "spread_parameter":
        yield Instance(Class(path, holder))
        return
    kind, value = holder.child_by_field_name("type"), above.child_by_field_name("value")
    if kind is not None and nodes.text(resolver, path, kind) == "var":
        yield from resolver.values(path, value) if value is not None else ()
    else:
        yield from instances_of(resolver, path, kind)


def _typed(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    kind, value = above.child_by_field_name("type"), above.child_by_field_name("value")
    if kind is not None and nodes.text(resolver, path, kind) == "var" and value is not None:
        for each in resolver.values(path, value):
            yield from element_of(resolver, each) if above.type == "enhanced_for_statement" else (each,)
    else:
        yield from instances_of(resolver, path, kind)


def _caught(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    for child in above.named_children:
        for kind in child.named_children if child.type == "catch_type" else ():
            yield from instances_of(resolver, path, kind)


def _tested(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    kind = above.child_by_field_name("right") or above.named_children[0]
    if nodes.text(resolver, path, kind) == "var":
        yield Unknown("it is bound by what is taken apart")
    else:
        yield from instances_of(resolver, path, kind)


def _constant(_resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    own = above.child_by_field_name("body") or above.parent
    yield from () if own is None else (Instance(Class(path, own)),)


def _generic(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    bounds = [
        kind for child in above.named_children if child.type == "type_bound" for kind in child.named_children
    ]
    for kind in bounds:
        yield from resolver.values(path, kind)
    if not bounds:
        yield Unknown("its type is chosen elsewhere")


_BINDING_READERS: Mapping[str, _Read] = {
    **dict.fromkeys(
        (
            *("class_declaration", "interface_declaration", "enum_declaration", "record_declaration"),
            "annotation_type_declaration",
        ),
        _class,
    ),
    **dict.fromkeys(("method_declaration", "annotation_type_element_declaration"), _method),
    "variable_declarator": _declared,
    **dict.fromkeys(("formal_parameter", "enhanced_for_statement", "resource"), _typed),
    "catch_formal_parameter": _caught,
    **dict.fromkeys(("instanceof_expression", "type_pattern", "record_pattern_component"), _tested),
    "enum_constant": _constant,
    "type_parameter": _generic,
}
"""How what stands around a bound name is read."""
