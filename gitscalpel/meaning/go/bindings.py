"""What a name is worth where it is bound: by a declaration, as a parameter, or in a statement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.go import calls, packages, types
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Elsewhere, Function, Instance, Module, Unknown, Value
from gitscalpel.syntax.occurrences import Mention

_Read = Callable[[Resolver, str, Mention, tree_sitter.Node], Iterable[Value]]


def worth(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    """What a name is worth where a mention binds it."""
    above = mention.node.parent
    if above is not None and above.type == "expression_list":
        above = above.parent
    read = _READ.get(above.type) if above is not None else None
    return read(resolver, path, mention, above) if read and above is not None else (Unknown("it is bound"),)


def _function(_resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    yield Function(path, above)


def _type(_resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    yield Class(path, above)


def _alias(resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    kind = above.child_by_field_name("type")
    yield from resolver.values(path, kind) if kind is not None else ()


def _import(resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    said = nodes.text(resolver, path, above.child_by_field_name("path"))[1:-1]
    found: Module | Elsewhere = packages.find(resolver, said)
    yield found


def _typed(resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    yield from types.objects(resolver, path, above.child_by_field_name("type"))


def _several(_resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    yield Instance(Class(path, above))


def _generic(resolver: Resolver, path: str, _mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    """Yield the interfaces that constrain a type parameter: they have all the methods that it has."""
    constraint = above.child_by_field_name("type") if above.type == "type_parameter_declaration" else None
    kinds = constraint.named_children if constraint is not None else []
    found = [value for kind in kinds for value in resolver.values(path, kind) if isinstance(value, Class)]
    yield from found
    if not found:
        yield Unknown("its type is chosen elsewhere")


def _spec(resolver: Resolver, path: str, mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    said = _repeated(above) if above.type == "const_spec" else above
    kind = said.child_by_field_name("type")
    if kind is not None:
        yield from types.objects(resolver, path, kind)
        return
    names = [each for each in above.children_by_field_name("name") if each.is_named]  # and no commas
    yield from _given(resolver, path, mention, names, said.child_by_field_name("value"))


def _repeated(spec: tree_sitter.Node) -> tree_sitter.Node:
    """Return the constant whose type and value another one repeats.

    https://go.dev/ref/spec#Constant_declarations
    """
    said: tree_sitter.Node | None = spec
    while said is not None and (said.type == "comment" or said.child_by_field_name("value") is None):
        said = said.prev_named_sibling
    return spec if said is None else said


def _assigned(resolver: Resolver, path: str, mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    left = above.child_by_field_name("left")
    names = left.named_children if left is not None else []
    yield from _given(resolver, path, mention, names, above.child_by_field_name("right"))


def _given(
    resolver: Resolver,
    path: str,
    mention: Mention,
    names: list[tree_sitter.Node],
    right: tree_sitter.Node | None,
) -> Iterator[Value]:
    """What stands in a name's place on the other side."""
    at = next((n for n, each in enumerate(names) if each.start_byte == mention.start), 0)
    given = right.named_children if right is not None and right.type == "expression_list" else [right]
    given = [each for each in given if each is not None]
    if len(given) == len(names):
        yield from resolver.values(path, given[at])
    elif len(given) == 1 and given[0].type == "call_expression":
        yield from calls.given(resolver, path, given[0], at)
    elif len(given) == 1 and at == 0:
        yield from resolver.values(path, given[0])  # ``v, ok := m[k]``
    else:
        yield Elsewhere("the language")


def _ranged(resolver: Resolver, path: str, mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    left, right = above.child_by_field_name("left"), above.child_by_field_name("right")
    is_first = left is not None and left.named_children[0].start_byte == mention.start
    for value in resolver.values(path, right) if right is not None else ():
        for each in types.underlying(resolver, value):
            is_channel = isinstance(each, Class) and each.node.type == "channel_type"
            yield from types.element(resolver, each, "key" if is_first and not is_channel else "value")


_READ: Mapping[str, _Read] = {
    **dict.fromkeys(("function_declaration", "method_declaration", "method_elem"), _function),
    "type_spec": _type,
    "type_alias": _alias,
    "import_spec": _import,
    **dict.fromkeys(("parameter_declaration", "field_declaration"), _typed),
    "variadic_parameter_declaration": _several,
    **dict.fromkeys(("type_parameter_declaration", "type_elem"), _generic),
    **dict.fromkeys(("var_spec", "const_spec"), _spec),
    **dict.fromkeys(("short_var_declaration", "receive_statement"), _assigned),
    "range_clause": _ranged,
}
"""How what stands around a bound name is read."""
