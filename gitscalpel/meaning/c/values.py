"""What expressions may be worth: types, their objects, functions, namespaces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import tree_sitter

from gitscalpel.meaning.c import classes, spaces, types
from gitscalpel.meaning.c.signatures import word
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Elsewhere, Function, Instance, Unknown, Value

_LITERALS = frozenset(
    {
        *("number_literal", "string_literal", "char_literal", "raw_string_literal", "true", "false", "null"),
        *(
            "nullptr",
            "concatenated_string",
            "sizeof_expression",
            "user_defined_literal",
            "offsetof_expression",
        ),
    }
)
_CASTS = ("static_cast", "const_cast", "reinterpret_cast", "dynamic_cast")


def of(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What an expression or type may be worth."""
    read = _READ.get(node.type) or types.READ.get(node.type)
    if node.type in _LITERALS:
        yield Elsewhere("the language")
    elif read is None:
        yield Unknown(f"nobody can tell what a {node.type.replace('_', ' ')} gives")
    else:
        yield from read(resolver, path, node)


_name = types.READ["type_identifier"]


def _this(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from classes.this(resolver, path, node)


def _field(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    last = node.child_by_field_name("field")
    yield from resolver.values(path, last) if last is not None else ()


def _first(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    inner = node.child_by_field_name("name") or (node.named_children[0] if node.named_children else None)
    yield from resolver.values(path, inner) if inner is not None else ()


def _called(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    called = node.child_by_field_name("function")
    if called is None:
        return
    if called.type == "template_function" and word(called.child_by_field_name("name")) in _CASTS:
        given = called.child_by_field_name("arguments")
        yield from types.objects(resolver, path, given.named_children[0] if given is not None else None)
        return
    if called.type == "template_function":
        yield from _made(resolver, path, called)
        return
    for value in resolver.values(path, called):
        if isinstance(value, Function):
            yield from returned(resolver, value)
        elif isinstance(value, Class):
            yield Instance(value)
        else:
            yield value if isinstance(value, Unknown) else Unknown("nobody can tell what is called")


def _made(resolver: Resolver, path: str, called: tree_sitter.Node) -> Iterator[Value]:
    """``Name<arguments>(…)``: an object, or what a function gives."""
    name = called.child_by_field_name("name")
    found = list(resolver.values(path, name)) if name is not None else []
    for value in classes.special(resolver, called, found):
        if isinstance(value, Function):
            yield from returned(resolver, value)
        else:
            yield Instance(value) if isinstance(value, Class) else Unknown("nobody can tell what is called")


def returned(resolver: Resolver, function: Function) -> Iterator[Value]:
    """What a function gives back; it is known by its declarator."""
    behind = next((c for c in function.node.named_children if c.type == "trailing_return_type"), None)
    holder = function.node.parent
    while (
        holder is not None
        and holder.child_by_field_name("type") is None
        and holder.type.endswith("declarator")
    ):
        holder = holder.parent
    kind = behind or (holder.child_by_field_name("type") if holder is not None else None)
    if kind is None or kind.type == "placeholder_type_specifier":
        yield Unknown("it does not say what it gives")
    else:
        yield from types.objects(resolver, function.path, kind)


def _typed(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from types.objects(resolver, path, node.child_by_field_name("type"))


def _operand(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    inner = node.child_by_field_name("argument") or (node.named_children[0] if node.named_children else None)
    yield from resolver.values(path, inner) if inner is not None else ()


def _pointer(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for value in _operand(resolver, path, node):
        yield from types.pointed(resolver, value) if word(node.children[0]) == "*" else (value,)


def _indexed(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for value in _operand(resolver, path, node):
        yield from types.element(resolver, value)


def _either(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for field in ("consequence", "alternative"):
        part = node.child_by_field_name(field)
        yield from resolver.values(path, part) if part is not None else ()


def _assigned(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    part = node.child_by_field_name("left")
    yield from resolver.values(path, part) if part is not None else ()


def _listed(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``{ .x = 1 }`` makes, by what it is given to."""
    above = node.parent
    if above is None:
        return
    kind = above.child_by_field_name("type")
    if above.type == "initializer_pair":
        last = above.children_by_field_name("designator")[-1]
        yield from resolver.values(path, last)
    elif above.type == "initializer_list":
        yield from _part(resolver, path, above)
    elif above.type == "init_declarator":
        holder = above.parent
        yield from types.objects(resolver, path, holder and holder.child_by_field_name("type"))
    elif kind is not None:
        yield from types.objects(resolver, path, kind)
    else:
        yield Unknown("nobody can tell what it makes")


def _before(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What stands before the sign of a member."""
    holder = node.parent
    before = holder.child_by_field_name("argument") if holder is not None else None
    for value in resolver.values(path, before) if before is not None else ():
        yield from types.pointed(resolver, value) if node.type == "->" else (value,)


def _global(_resolver: Resolver, _path: str, _node: tree_sitter.Node) -> Iterator[Value]:
    yield spaces.module("")


def _given(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``[n]`` in what is written out leads to."""
    before = node.prev_named_sibling
    holder = (
        before
        if before is not None and before.type.endswith("designator")
        else node.parent and node.parent.parent
    )
    for value in resolver.values(path, holder) if holder is not None else ():
        yield from types.element(resolver, value)


def _part(resolver: Resolver, path: str, around: tree_sitter.Node) -> Iterator[Value]:
    """What a list in another one is worth: of an array, one of its elements."""
    holder = around.parent
    declarator = holder.child_by_field_name("declarator") if holder is not None else None
    is_array = declarator is not None and declarator.type == "array_declarator"
    for value in resolver.values(path, around):
        if is_array or (isinstance(value, Instance) and value.of.node.type == "template_type"):
            yield from types.element(resolver, value)
        else:
            yield Unknown("nobody can tell which part it is")


_READ: Mapping[str, Callable[[Resolver, str, tree_sitter.Node], Iterator[Value]]] = {
    **dict.fromkeys((".", "->"), _before),
    "::": _global,
    "field_designator": _operand,
    "subscript_designator": _given,
    "field_initializer_list": _this,
    **dict.fromkeys(("identifier", "field_identifier"), _name),
    "this": _this,
    "field_expression": _field,
    **dict.fromkeys(
        ("template_function", "template_method", "dependent_name", "parenthesized_expression"), _first
    ),
    "call_expression": _called,
    **dict.fromkeys(("new_expression", "cast_expression", "compound_literal_expression"), _typed),
    "pointer_expression": _pointer,
    "update_expression": _operand,
    "subscript_expression": _indexed,
    "conditional_expression": _either,
    "assignment_expression": _assigned,
    "initializer_list": _listed,
}
"""How a kind of expression is read."""
