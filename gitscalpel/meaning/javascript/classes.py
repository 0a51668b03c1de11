"""Classes, interfaces and objects: what they inherit, and what ``this`` is in them.

Each is known by the node that holds its members: a class by its body.
"""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.javascript import promises, types, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import WHOLE, Binding, Class, Elsewhere, Instance, Unknown, Value

_OWN_THIS = ("function_declaration", "function_expression", "generator_function_declaration")
_HOLDERS = ("class_body", "object", "program", *_OWN_THIS)


def bases(resolver: Resolver, of: Class) -> Iterator[Value]:
    """What it inherits from, implements or goes on with."""
    if of.node.type == "object":
        if any(child.type == "spread_element" for child in of.node.named_children):
            yield Unknown("other objects are spread into it")
    elif of.node.type == "intersection_type":
        for part in of.node.named_children:
            yield from _named(resolver, of.path, part)
    elif of.node.type in ("class_body", "interface_body") and of.node.parent is not None:
        yield from _merged(resolver, of, of.node.parent)
        for value in _extended(resolver, of):
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


def _extended(resolver: Resolver, of: Class) -> Iterator[Value]:
    """What a declaration says that it extends."""
    for clause in _clauses(of):
        for node in clause.named_children:
            if node.type == "extends_clause":
                value = node.child_by_field_name("value")
                yield from resolver.values(of.path, value) if value is not None else ()
            elif clause.type == "extends_type_clause":
                yield from _named(resolver, of.path, node)
            elif node.type != "implements_clause":
                yield from resolver.values(of.path, node)


def _named(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What a type is that is named as a part or base: of a promise, itself, and not what it gives."""
    is_promise = promises.kept(resolver, path, node) is not None
    yield from (Elsewhere("builtins"),) if is_promise else _held(types.objects(resolver, path, node))


def _implemented(resolver: Resolver, of: Class) -> Iterator[Value]:
    for clause in _clauses(of):
        for node in clause.named_children:
            for each in node.named_children if node.type == "implements_clause" else ():
                yield from _held(types.objects(resolver, of.path, each))


def _clauses(of: Class) -> list[tree_sitter.Node]:
    found = of.node.parent.named_children if of.node.parent is not None else []
    return [each for each in found if each.type in ("class_heritage", "extends_type_clause")]


def _leads_to(resolver: Resolver, base: Class, of: Class) -> bool:
    """Whether a base extends what extends it: then there is no such class, and nothing is inherited."""
    waiting, seen = [base], {(base.path, base.scope)}
    while waiting:
        for value in _extended(resolver, waiting.pop()):
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
        for place in resolver.binders(meaning) if isinstance(meaning, Binding) else ():
            above = place.mention.node.parent
            body = above.child_by_field_name("body") if above is not None else None
            is_other = body is not None and body.id != of.node.id
            if body is not None and is_other and body.type in ("class_body", "interface_body"):
                yield Class(place.path, body)


def _held(values: Iterator[Value]) -> Iterator[Value]:
    for value in values:
        yield value.of if isinstance(value, Instance) else value


def this(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``this`` is where it stands."""
    holder = words.around(node, *_HOLDERS)
    if holder is None or holder.type == "program":
        yield Unknown("this is whatever the file is run with")
    elif holder.type == "object":
        inside = node.parent
        while inside is not None and inside.type not in ("method_definition", "object"):
            inside = inside.parent
        is_method = inside is not None and inside.type == "method_definition"
        yield from (resolver.values(path, holder) if is_method else this(resolver, path, holder))
    elif holder.type == "class_body":
        own = Class(path, holder)
        yield own if _is_static(node, holder) else Instance(own)
    else:
        yield Unknown("this is what the function is called on")


def _is_static(node: tree_sitter.Node, body: tree_sitter.Node) -> bool:
    member = node
    while member.parent is not None and member.parent.id != body.id:
        member = member.parent
    return member.type == "class_static_block" or any(child.type == "static" for child in member.children)


def parent(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``super`` is where it stands."""
    body = words.around(node, "class_body", "object")
    if body is None or body.type != "class_body" or body.parent is None:
        yield Unknown("super stands in no class")
        return
    for value in _extended(resolver, Class(path, body)):
        is_instance = isinstance(value, Class) and not _is_static(node, body)
        yield Instance(value) if is_instance and isinstance(value, Class) else value
