"""Structs, enums and traits: where their members are, and what a type is given by traits.

A type is its item, where its methods and associated items are, wherever they are written; its fields or
variants are its body's. What ``impl Trait for Type`` defines is the trait's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import tree_sitter

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.rust import words
from gitscalpel.meaning.things import Binding, Class, Instance, Unknown, Value
from gitscalpel.syntax.occurrences import Mention

ITEMS = ("struct_item", "enum_item", "union_item")
_IN_IMPL = ("function_item", "const_item", "type_item")


def of_item(path: str, item: tree_sitter.Node) -> Class:
    """The class of a type's or trait's item."""
    body = item.child_by_field_name("body")
    return Class(path, body if item.type == "trait_item" and body is not None else item)


def fields(value: Value) -> Value:
    """What holds the fields of a value."""
    of = value.of if isinstance(value, Instance) else value
    if not isinstance(of, Class):
        return value
    body = of.node.child_by_field_name("body")
    if of.node.type in (*ITEMS, "enum_variant") and body is not None:
        return Instance(Class(of.path, body))
    return Unknown("its fields are not known") if of.node.type not in ITEMS else Instance(of)


def own(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    """What ``Self`` is at a node."""
    item = words.around(node, "impl_item", "trait_item", *ITEMS)
    if item is None:
        return (Unknown("Self stands in no type"),)
    if item.type != "impl_item":
        return (of_item(path, item),)
    kind = item.child_by_field_name("type")
    return resolver.values(path, kind) if kind is not None else ()


def implements(mention: Mention) -> tree_sitter.Node | None:
    """The ``impl`` that a mention defines an item of."""
    item = mention.node.parent
    block = item.parent if item is not None and item.type in _IN_IMPL else None
    above = block.parent if block is not None and block.type == "declaration_list" else None
    is_name = words.is_field(mention.node, item, "name")
    return above if above is not None and above.type == "impl_item" and is_name else None


def definers(resolver: Resolver, binding: Binding) -> Iterator[str]:
    """The files that may implement a member of a type or trait."""
    node = resolver.lexical(binding.path).syntax.root.descendant_for_byte_range(
        binding.scope[0], binding.scope[1] - 1
    )
    if node is not None and (node.start_byte, node.end_byte) != binding.scope:
        return
    item = node if node is None or node.type in ITEMS else node.parent
    name = words.name(resolver, binding.path, item)
    if not name:
        return
    holding = {*resolver.files.holding(name)}
    for path in resolver.files.holding(binding.name):
        if path in holding and path.endswith(".rs") and resolver.files.lexical(path) is not None:
            yield path


def bases(resolver: Resolver, of: Class) -> Iterable[Value]:
    """What gives a type or trait its further members."""
    read = _READ.get(of.node.type)
    return read(resolver, of) if read is not None else ()


def _of_type(resolver: Resolver, of: Class) -> Iterator[Value]:
    body = of.node.child_by_field_name("body")
    if of.node.type == "enum_item" and body is not None:
        yield Class(of.path, body)
    for path, block in implementations(resolver, of):
        trait = block.child_by_field_name("trait")
        if trait is None:
            continue
        yield from resolver.values(path, trait)
        if words.text(resolver, path, trait) == "Deref":
            yield from _target(resolver, path, block)


def _target(resolver: Resolver, path: str, block: tree_sitter.Node) -> Iterator[Value]:
    body = block.child_by_field_name("body")
    for item in body.named_children if body is not None else ():
        kind = item.child_by_field_name("type")
        if item.type == "type_item" and kind is not None:
            yield from resolver.values(path, kind)


def implementations(resolver: Resolver, of: Class) -> Iterable[tuple[str, tree_sitter.Node]]:
    """The ``impl`` blocks of a type."""
    return resolver.once(("impls", of), lambda: _implementations(resolver, of), ())


def _implementations(resolver: Resolver, of: Class) -> Iterator[tuple[str, tree_sitter.Node]]:
    name = words.name(resolver, of.path, of.node)
    for path in resolver.files.holding(name) if name else ():
        lexical = resolver.files.lexical(path) if path.endswith(".rs") else None
        for block in lexical.syntax.of_type("impl_item") if lexical is not None else ():
            kind = block.child_by_field_name("type")
            if kind is not None and of in resolver.values(path, kind):
                yield path, block


def _of_fields(resolver: Resolver, of: Class) -> Iterator[Value]:
    """What is reached through ``Deref`` has fields as well."""
    item = of.node.parent
    if item is None or item.type not in ITEMS:
        return
    for path, block in implementations(resolver, Class(of.path, item)):
        if words.text(resolver, path, block.child_by_field_name("trait")) == "Deref":
            yield from map(fields, _target(resolver, path, block))


def _of_trait(resolver: Resolver, of: Class) -> Iterator[Value]:
    item = of.node.parent
    if item is not None and item.type == "trait_item":
        yield from _bounds(resolver, of.path, item.child_by_field_name("bounds"))


def _of_variant(_resolver: Resolver, of: Class) -> Iterator[Value]:
    item = words.around(of.node, "enum_item")
    if item is not None:
        yield Class(of.path, item)


def _of_parameter(resolver: Resolver, of: Class) -> Iterator[Value]:
    yield from _bounds(resolver, of.path, of.node.child_by_field_name("bounds"))
    name = words.name(resolver, of.path, of.node)
    holder = of.node.parent.parent if of.node.parent is not None else None
    for clause in holder.named_children if holder is not None else ():
        for each in clause.named_children if clause.type == "where_clause" else ():
            if words.text(resolver, of.path, each.child_by_field_name("left")) == name:
                yield from _bounds(resolver, of.path, each.child_by_field_name("bounds"))


def _of_some(resolver: Resolver, of: Class) -> Iterator[Value]:
    """``impl A + B``, ``dyn A``."""
    yield from _bounds(resolver, of.path, of.node)


def _bounds(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Iterator[Value]:
    for each in node.named_children if node is not None else ():
        if each.type in ("bounded_type", "trait_bounds"):
            yield from _bounds(resolver, path, each)
        elif each.type not in ("lifetime", "removed_trait_bound", "line_comment", "block_comment"):
            yield from resolver.values(path, each)


_READ: Mapping[str, Callable[[Resolver, Class], Iterator[Value]]] = {
    **dict.fromkeys(ITEMS, _of_type),
    "field_declaration_list": _of_fields,
    "declaration_list": _of_trait,
    "enum_variant": _of_variant,
    "type_parameter": _of_parameter,
    "associated_type": _of_parameter,
    **dict.fromkeys(("abstract_type", "dynamic_type"), _of_some),
}
