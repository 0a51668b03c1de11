"""What a name is worth where it is bound: by a declaration, as a parameter, or by an import."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.java import classes, packages, types
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Function, Instance, Unknown, Value
from gitscalpel.syntax.occurrences import Mention

_Read = Callable[[Resolver, str, tree_sitter.Node], Iterable[Value]]


def worth(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    """What a name is worth where a mention binds it."""
    if mention.kind == "import":
        found = packages.brings(resolver, path, mention)
        return [value for each in found for value in resolver.worth(each)]
    above = mention.node.parent
    read = _READ.get(above.type) if above is not None else None
    return read(resolver, path, above) if read and above is not None else (Unknown("it is bound"),)


def _class(_resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    yield from classes.body(path, above)


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
        yield from types.objects(resolver, path, kind)


def _typed(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    kind, value = above.child_by_field_name("type"), above.child_by_field_name("value")
    if kind is not None and nodes.text(resolver, path, kind) == "var" and value is not None:
        for each in resolver.values(path, value):
            yield from types.element(resolver, each) if above.type == "enhanced_for_statement" else (each,)
    else:
        yield from types.objects(resolver, path, kind)


def _caught(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    for child in above.named_children:
        for kind in child.named_children if child.type == "catch_type" else ():
            yield from types.objects(resolver, path, kind)


def _tested(resolver: Resolver, path: str, above: tree_sitter.Node) -> Iterator[Value]:
    kind = above.child_by_field_name("right") or above.named_children[0]
    if nodes.text(resolver, path, kind) == "var":
        yield Unknown("it is bound by what is taken apart")
    else:
        yield from types.objects(resolver, path, kind)


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


_READ: Mapping[str, _Read] = {
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
