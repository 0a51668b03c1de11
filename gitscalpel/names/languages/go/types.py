"""Types of Go, and the types that they embed.

A pointer has the values of the type that it points to. A type without a field name is embedded, and
gives its members to the type around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import Class, Elsewhere, Instance, Meaning, Unknown, Value
from gitscalpel.names.resolver import Resolver

_HELD = (
    "slice_type",
    "array_type",
    "implicit_length_array_type",
    "map_type",
    "channel_type",
    "function_type",
)


def instances_of(resolver: Resolver, path: str, node: tree_sitter.Node | None) -> Iterator[Value]:
    """What may be where a type stands."""
    if node is None:
        yield Unknown("it has no type")
        return
    for value in resolver.values(path, node):
        yield Instance(value) if isinstance(value, Class) else value


def underlying_type(resolver: Resolver, value: Value) -> Iterator[Value]:
    """What a type consists of, whatever it is called."""
    of = value.of if isinstance(value, Instance) else value
    if not isinstance(of, Class) or of.node.type != "type_spec":
        yield of
        return
    key = ("underlying", of.path, of.node.start_byte)
    kind = of.node.child_by_field_name("type")
    yield from resolver.once(key, lambda: _underlying(resolver, of.path, kind), ())


def _underlying(resolver: Resolver, path: str, kind: tree_sitter.Node | None) -> Iterator[Value]:
    for value in resolver.values(path, kind) if kind is not None else ():
        yield from underlying_type(resolver, value)


def element_of(resolver: Resolver, value: Value, field: str = "value") -> Iterator[Value]:
    """What a value of many holds: of a map its values, or its keys (``key``)."""
    for each in underlying_type(resolver, value):
        if not isinstance(each, Class):
            yield each
            continue
        node = each.node
        inner = node.child_by_field_name("element") if field == "value" else None
        if node.type == "variadic_parameter_declaration":
            inner = node.child_by_field_name("type")
        inner = inner or node.child_by_field_name(field)
        if inner is None:
            yield Unknown("nobody can tell what it holds") if field == "value" else Elsewhere("the language")
        else:
            yield from instances_of(resolver, each.path, inner)


def _name(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for meaning in resolver.meanings(path, nodes.mention(resolver, path, node)):
        yield from resolver.worth(meaning)


def _qualified(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    last = node.child_by_field_name("name")
    yield from resolver.values(path, last) if last is not None else ()


def _inner(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield from resolver.values(path, node.named_children[0]) if node.named_children else ()


def _struct(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    for child in node.named_children:
        if child.type == "field_declaration_list":
            yield Class(path, child)


def _itself(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    yield Class(path, node)


TYPE_READERS: Mapping[str, Callable[[Resolver, str, tree_sitter.Node], Iterator[Value]]] = {
    "type_identifier": _name,
    "qualified_type": _qualified,
    **dict.fromkeys(
        ("pointer_type", "generic_type", "parenthesized_type", "type_elem", "negated_type"), _inner
    ),
    "struct_type": _struct,
    "interface_type": _itself,
    **dict.fromkeys(_HELD, _itself),
}
"""How a kind of type is read."""


_DECLARATIONS = ("type_spec", "type_alias")


def embedded_types(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """The types that are embedded in a struct's fields, or in an interface."""
    for child in node.named_children:
        if child.type == "field_declaration" and child.child_by_field_name("name") is None:
            kind = child.child_by_field_name("type")
            yield from () if kind is None else (kind,)
        elif child.type == "type_elem" and len(child.named_children) == 1:
            yield child.named_children[0]


def embedding_types(resolver: Resolver, of_class: Class) -> tuple[Class, ...]:
    """Return the types that have a type's methods because it is embedded in them, or because they are it."""
    key = ("embedding", of_class.path, of_class.scope)
    return resolver.once(key, lambda: _within(resolver, of_class), ())


def _within(resolver: Resolver, of_class: Class) -> Iterator[Class]:
    found, waiting = {(of_class.path, of_class.scope)}, [of_class]
    while waiting:
        for each in _nearest(resolver, waiting.pop()):
            if (each.path, each.scope) not in found:
                found.add((each.path, each.scope))
                waiting.append(each)
                yield each


def _nearest(resolver: Resolver, of_class: Class) -> Iterator[Class]:
    """Yield the types that name a type in their declaration, and the structs in which it is embedded."""
    declared = of_class.node if of_class.node.type in _DECLARATIONS else of_class.node.parent
    while declared is not None and declared.type in ("struct_type", "field_declaration_list"):
        declared = declared.parent
    name = declared.child_by_field_name("name") if declared is not None else None
    if declared is None or declared.type not in _DECLARATIONS or name is None:
        return
    word = nodes.text(resolver, of_class.path, name)
    for path in resolver.files.naming(word, "go"):
        lexical = resolver.files.lexical(path)
        for mention in lexical.of(word) if lexical is not None else ():
            for node in _declaring(mention.node):
                if node.id != declared.id:
                    yield Class(path, node)


def _declaring(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield the declaration that has what a type's name stands for: as its own type, or embedded."""
    above = node.parent
    while above is not None and above.type in ("pointer_type", "qualified_type", "generic_type", "type_elem"):
        above = above.parent
    if above is not None and above.type in _DECLARATIONS and above.child_by_field_name("name") != node:
        yield above
    is_embedded = above is not None and above.type == "field_declaration"
    if above is not None and is_embedded and above.child_by_field_name("name") is None:
        struct = above.parent.parent if above.parent is not None else None
        around = struct.parent if struct is not None else None
        if around is not None and around.type == "type_spec":
            yield around
        elif above.parent is not None:
            yield above.parent


def embedded_type_named(resolver: Resolver, of_value: Value, name: str) -> Iterator[Meaning]:
    """Yield the embedded type of a name, which is that of its field as well.

    Of several the one that is embedded least deep:
    https://go.dev/ref/spec#Selectors
    """
    waiting, seen = [of_value], set[tuple[str, tuple[int, int]]]()
    while waiting:
        structs = [each for value in waiting for each in underlying_type(resolver, value)]
        new = [e for e in structs if isinstance(e, Class) and (e.path, e.scope) not in seen]
        seen |= {(each.path, each.scope) for each in new}
        kinds = [(each.path, kind) for each in new for kind in embedded_types(each.node)]
        words = [(path, _word(kind)) for path, kind in kinds]
        found = [
            (path, word)
            for path, word in words
            if word is not None and nodes.text(resolver, path, word) == name
        ]
        for path, word in found:
            yield from resolver.meanings(path, nodes.mention(resolver, path, word))
        waiting = [] if found else [value for each in kinds for value in resolver.values(*each)]


def _word(kind: tree_sitter.Node) -> tree_sitter.Node | None:
    """The last name of a type."""
    if kind.type == "type_identifier":
        return kind
    if kind.type == "qualified_type":
        return kind.child_by_field_name("name")
    inner = kind.named_children[0] if kind.named_children else None
    return _word(inner) if inner is not None and kind.type in ("generic_type", "pointer_type") else None
