"""Classes, interfaces and objects: what they inherit.

Each is known by the node that holds its members: a class by its body.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning.javascript import constructors, namespaces, promises, types, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import WHOLE, Binding, Class, Elsewhere, Unknown, Value


def bases(resolver: Resolver, of: Class) -> Iterator[Value]:
    """What it inherits from, implements or goes on with."""
    if of.node.type == "object":
        for child in of.node.named_children:
            if child.type == "spread_element" and child.named_children:
                yield from _spread(resolver, of.path, child.named_children[0])
    elif of.node.type == "intersection_type":
        for part in of.node.named_children:
            yield from _named(resolver, of.path, part)
    elif (function := constructors.behind(of)) is not None:
        yield from constructors.bases(resolver, of, function)
    elif of.node.type in ("class_body", "interface_body") and of.node.parent is not None:
        yield from _merged(resolver, of, of.node.parent)
        for value in extended(resolver, of):
            if not (isinstance(value, Class) and _leads_to(resolver, value, of)):
                yield value
        yield from _implemented(resolver, of)


def is_beside_others(resolver: Resolver, binding: Binding) -> bool:
    """Whether a member is that of a part of a type (``{ … } & Request``), and others may have it as well."""
    if binding.kind != "class" or binding.scope == WHOLE:
        return False
    start, end = binding.scope
    node = resolver.lexical(binding.path).syntax.root.descendant_for_byte_range(start, end)
    while node is not None and node.end_byte == end and node.type != "intersection_type":
        node = node.parent
    if node is None or node.type != "intersection_type":
        return False
    parts = resolver.ancestry(Class(binding.path, node))
    return any(isinstance(each, (Elsewhere, Unknown)) and each != Elsewhere("builtins") for each in parts)


def _spread(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """Whose members an object gets as its own."""
    for value in _held(resolver, resolver.values(path, node)):
        known = isinstance(value, (Class, Elsewhere))
        yield value if known else Unknown("other objects are spread into it")


def extended(resolver: Resolver, of: Class) -> Iterator[Value]:
    """What a declaration says that it extends."""
    for clause in _clauses(of):
        for node in clause.named_children:
            if node.type == "extends_clause":
                value = node.child_by_field_name("value")
                yield from _held(resolver, resolver.values(of.path, value)) if value is not None else ()
            elif clause.type == "extends_type_clause":
                yield from _named(resolver, of.path, node)
            elif node.type != "implements_clause":
                yield from _held(resolver, resolver.values(of.path, node))


def _named(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What a type is that is named as a part or base: of a promise, itself, and not what it gives."""
    is_promise = promises.kept(resolver, path, node) is not None
    yield from (
        (Elsewhere("builtins"),) if is_promise else _held(resolver, types.objects(resolver, path, node))
    )


def _implemented(resolver: Resolver, of: Class) -> Iterator[Value]:
    for clause in _clauses(of):
        for node in clause.named_children:
            for each in node.named_children if node.type == "implements_clause" else ():
                yield from _held(resolver, types.objects(resolver, of.path, each))


def _clauses(of: Class) -> list[tree_sitter.Node]:
    found = of.node.parent.named_children if of.node.parent is not None else []
    return [each for each in found if each.type in ("class_heritage", "extends_type_clause")]


def _leads_to(resolver: Resolver, base: Class, of: Class) -> bool:
    """Whether a base extends what extends it: then there is no such class, and nothing is inherited."""
    waiting, seen = [base], {(base.path, base.scope)}
    while waiting:
        for value in extended(resolver, waiting.pop()):
            key = (value.path, value.scope) if isinstance(value, Class) else None
            if key == (of.path, of.scope):
                return True
            if isinstance(value, Class) and key is not None and key not in seen:
                seen.add(key)
                waiting.append(value)
    return False


def _merged(resolver: Resolver, of: Class, declaration: tree_sitter.Node) -> Iterator[Value]:
    """The other declarations of the same class or interface."""
    name = declaration.child_by_field_name("name")
    if name is None:
        return
    for meaning in resolver.meanings(of.path, words.mention(resolver, of.path, name)):
        own = (meaning, *namespaces.augmented(resolver, meaning)) if isinstance(meaning, Binding) else ()
        for place in (place for each in own for place in resolver.binders(each)):
            above = place.mention.node.parent
            body = above.child_by_field_name("body") if above is not None else None
            is_other = body is not None and body.id != of.node.id
            if body is not None and is_other and body.type in ("class_body", "interface_body"):
                yield Class(place.path, body)


def _held(resolver: Resolver, values: Iterable[Value]) -> Iterator[Value]:
    for value in values:
        yield resolver.class_of(value) or value
