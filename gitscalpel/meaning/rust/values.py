"""What expressions may be worth: types, their values, functions, modules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import tree_sitter

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.rust import classes, given, modules, types, words
from gitscalpel.meaning.things import Class, Elsewhere, Function, Instance, Unknown, Value

_LITERALS = frozenset(
    {
        *("string_literal", "raw_string_literal", "char_literal", "boolean_literal", "integer_literal"),
        *("float_literal", "array_expression", "tuple_expression", "unit_expression", "binary_expression"),
        *("range_expression", "assignment_expression", "compound_assignment_expr"),
    }
)
_PATHS = ("scoped_identifier", "scoped_type_identifier", "scoped_use_list", "use_wildcard", "use_declaration")
_Read = Callable[[Resolver, str, tree_sitter.Node], Iterator[Value]]


def of(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What an expression, path or type may be worth."""
    read = _READ.get(node.type) or types.READ.get(node.type)
    if node.type in _LITERALS:
        yield Elsewhere("the language")
    elif read is None:
        yield Unknown(f"nobody can tell what a {node.type.replace('_', ' ')} gives")
    else:
        yield from read(resolver, path, node)


def _name(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    mention = words.mention(resolver, path, node)
    if mention.name == "Self":
        yield from classes.own(resolver, path, node)
        return
    for meaning in resolver.meanings(path, mention):
        yield from resolver.worth(meaning)


def _path(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    last = node.child_by_field_name("name")
    found = resolver.values(path, last) if last is not None else ()
    # Every type that has the trait says what its own is: of these, the one that is asked for.
    chosen = [
        each
        for value in found
        if isinstance(value, Class) and value.node.type == "associated_type"
        for each in given.chosen(resolver, path, node, value)
    ]
    yield from chosen or map(types.seen_from_outside, found)


def _crate(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from modules.crates(resolver, modules.of_node(path, node))


def _self(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """``self::x`` and ``self.x``."""
    if node.parent is not None and node.parent.type in (*_PATHS, "use_list"):
        yield modules.of_node(path, node)
        return
    for value in classes.own(resolver, path, node):
        yield Instance(value) if isinstance(value, Class) else value


def _super(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    above = node.parent
    before = above.child_by_field_name("path") if above is not None else None
    is_last = words.is_field(node, above, "name")
    if is_last and before is not None:
        starts = list(resolver.values(path, before))
    else:
        starts = [modules.of_node(path, node)]
    for each in starts:
        if not isinstance(each, (Class, Instance, Function, Elsewhere, Unknown)):
            yield from modules.parents(resolver, each)


def _field_of(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What holds the field that is named at a node."""
    above = node.parent
    before = above.child_by_field_name("value") if above is not None else None
    yield from map(classes.fields, resolver.values(path, before) if before is not None else ())


def _literal(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What holds the fields of a struct's literal or pattern."""
    above = node.parent if node.type == "field_initializer_list" else node
    kind = above and (above.child_by_field_name("name") or above.child_by_field_name("type"))
    yield from map(classes.fields, resolver.values(path, kind) if kind is not None else ())


def _struct(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from types.objects(resolver, path, node.child_by_field_name("name"))


def _field(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    named = node.child_by_field_name("field")
    for value in _name(resolver, path, named) if named is not None else ():
        yield types.seen_from_outside(value)


def _inner(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    children = [child for child in node.named_children if child.type != "mutable_specifier"]
    yield from resolver.values(path, children[-1]) if children else ()


def _function_of(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """``f::<T>``."""
    inner = node.child_by_field_name("function")
    yield from resolver.values(path, inner) if inner is not None else ()


def _cast(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from types.objects(resolver, path, node.child_by_field_name("type"))


def _unary(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    if node.children[0].type == "*":
        yield from _inner(resolver, path, node)
    else:
        yield Unknown("operators may give anything")


def _call(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from _called(resolver, path, node, is_awaited=False)


def _await(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    (inner, *_) = node.named_children
    if inner.type == "call_expression":
        yield from _called(resolver, path, inner, is_awaited=True)
    else:
        yield Unknown("it is waited for")


def _called(resolver: Resolver, path: str, node: tree_sitter.Node, *, is_awaited: bool) -> Iterator[Value]:
    callee = node.child_by_field_name("function")
    found = resolver.values(path, callee) if callee is not None else ()
    yield from _given(resolver, found, is_awaited=is_awaited)


def _given(resolver: Resolver, called: Iterable[Value], *, is_awaited: bool) -> Iterator[Value]:
    for value in called:
        if isinstance(value, Function):
            yield from _returned(resolver, value, is_awaited=is_awaited)
        elif isinstance(value, Class) and not is_awaited:
            yield Instance(value)
        else:
            yield Unknown("what it calls is defined outside of the repository, or is no function")


def _returned(resolver: Resolver, function: Function, *, is_awaited: bool) -> Iterator[Value]:
    """What a function gives."""
    head = resolver.lexical(function.path).text[function.node.start_byte : function.node.end_byte]
    is_async = b"async" in head.partition(b"fn")[0]
    kind = function.node.child_by_field_name("return_type")
    if is_async != is_awaited or function.node.type == "closure_expression":
        yield Unknown("it is not waited for here")
    elif kind is None:
        yield Elsewhere("the language")
    else:
        for value in types.objects(resolver, function.path, kind):
            yield types.seen_from_outside(value)


def _called_in_tree(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What a call gives whose arguments stand in a macro's call."""
    callee = node.prev_sibling
    if callee is None or callee.type != "identifier" or node.children[0].type != "(":
        yield Unknown("a macro decides what it gives")
    else:
        yield from _given(resolver, resolver.values(path, callee), is_awaited=False)


def _lambda(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield Function(path, node)


_READ: Mapping[str, _Read] = {
    **dict.fromkeys(("identifier", "type_identifier"), _name),
    **dict.fromkeys(("scoped_identifier", "scoped_type_identifier"), _path),
    "crate": _crate,
    "self": _self,
    "super": _super,
    "field_identifier": _field_of,
    "field_expression": _field,
    **dict.fromkeys(("field_initializer_list", "struct_pattern"), _literal),
    "struct_expression": _struct,
    "generic_function": _function_of,
    "call_expression": _call,
    "await_expression": _await,
    "type_cast_expression": _cast,
    "unary_expression": _unary,
    **dict.fromkeys(("reference_expression", "parenthesized_expression"), _inner),
    "closure_expression": _lambda,
    "token_tree": _called_in_tree,
}
"""How a kind of expression is read."""
