"""Embedded fields: a type that stands in another without a name, and gives it its own."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.go import types
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Meaning, Value

_DECLARATIONS = ("type_spec", "type_alias")


def of(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """The types that are embedded in a struct's fields, or in an interface."""
    for child in node.named_children:
        if child.type == "field_declaration" and child.child_by_field_name("name") is None:
            kind = child.child_by_field_name("type")
            yield from () if kind is None else (kind,)
        elif child.type == "type_elem" and len(child.named_children) == 1:
            yield child.named_children[0]


def within(resolver: Resolver, of_class: Class) -> tuple[Class, ...]:
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


def named(resolver: Resolver, of_value: Value, name: str) -> Iterator[Meaning]:
    """Yield the embedded type of a name, which is that of its field as well.

    Of several the one that is embedded least deep:
    https://go.dev/ref/spec#Selectors
    """
    waiting, seen = [of_value], set[tuple[str, tuple[int, int]]]()
    while waiting:
        structs = [each for value in waiting for each in types.underlying(resolver, value)]
        new = [e for e in structs if isinstance(e, Class) and (e.path, e.scope) not in seen]
        seen |= {(each.path, each.scope) for each in new}
        kinds = [(each.path, kind) for each in new for kind in of(each.node)]
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
