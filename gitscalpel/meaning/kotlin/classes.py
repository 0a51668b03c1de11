"""Classes and objects of Kotlin: their parts, bases and companions. Each is its declaration."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.kotlin import packages
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.spread import classes
from gitscalpel.meaning.spread import spaces as spread
from gitscalpel.meaning.things import WHOLE, Binding, Class, Elsewhere, Instance, Unknown, Value

TYPES = ("class_declaration", "object_declaration", "companion_object", "object_literal", "enum_entry")
_PLAIN_WORDS = """
map filter forEach let also lazy any all none first firstOrNull last takeIf takeUnless repeat use
synchronized mapNotNull flatMap filterNot associate associateBy associateWith groupBy sortedBy sumOf find
count maxOf minOf forEachIndexed mapIndexed fold reduce require check joinToString getOrPut
"""
_PLAIN = frozenset(_PLAIN_WORDS.split())
"""Functions of the library whose lambdas have no receiver."""


def bases(resolver: Resolver, of: Class) -> Iterator[Value]:
    """What it inherits from, and its companion."""
    if of.node.type == "enum_entry":
        enum = nodes.around(of.node, "class_declaration")
        yield from (Class(of.path, enum),) if enum is not None else ()
    for each in of.node.named_children:
        kind = _named(each) if each.type == "delegation_specifier" else None
        yield from resolver.values(of.path, kind) if kind is not None else ()
    yield from companions(of)


def companions(of: Class) -> Iterator[Class]:
    """What is meant by the name of a class where a value is asked for."""
    for body in (each for each in of.node.named_children if each.type.endswith("class_body")):
        yield from (Class(of.path, each) for each in body.named_children if each.type == "companion_object")


def of_companion(resolver: Resolver, path: str, receiver: tree_sitter.Node, name: str) -> list[Binding]:
    """What the companion of a class that is named has under a name."""
    return [
        member
        for value in resolver.values(path, receiver)
        if isinstance(value, Class)
        for each in companions(value)
        for member in resolver.members(each, name)
        if isinstance(member, Binding)
    ]


def _named(node: tree_sitter.Node) -> tree_sitter.Node | None:
    while node.type != "user_type" and node.named_children:
        node = node.named_children[0]
    return node


def parts(resolver: Resolver, of: Class) -> Iterator[Class]:
    """The other declarations of a class of its package."""
    name = next((each for each in of.node.named_children if each.type == "type_identifier"), None)
    if name is None or of.node.parent is None or of.node.parent.type != "source_file":
        return
    for binding in resolver.written(of.path, nodes.mention(resolver, of.path, name)):
        for twin in twins(resolver, binding) if isinstance(binding, Binding) else ():
            yield from (each for each in classes.of(resolver, twin) if each != of)


def twins(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """What a package declares under one name, and the same members of that."""
    if binding.scope == WHOLE:
        return
    if binding.kind == "class":
        holder = classes.holder(resolver, binding)
        for each in parts(resolver, holder) if holder is not None else ():
            yield from resolver.own_members(each, binding.name)
    elif binding.kind in spread.OPEN:
        for place in resolver.binders(binding):
            if place.mention.kind in packages.SPREAD.kinds and not packages.is_private(place.mention.node):
                package = packages.of(resolver, place.path, place.mention.node)
                yield from packages.declared(resolver, "", package, binding.name)


def is_of_companion(resolver: Resolver, binding: Binding) -> bool:
    """Whether a member is that of a companion."""
    holder = classes.holder(resolver, binding)
    return holder is not None and holder.node.type == "companion_object"


def receiver(lambda_: tree_sitter.Node) -> bool:
    """Whether a lambda may have a receiver that nobody knows."""
    call = nodes.around(lambda_, "call_expression", "value_argument", "statements", "class_body")
    if call is None or call.type != "call_expression" or not call.named_children:
        return True
    called = call.named_children[0]
    last = (called.text or b"").decode("utf-8", "replace").replace("?.", ".").rpartition(".")[2]
    return last.strip() not in _PLAIN


def this(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``this`` is where it stands; ``this@A`` by the name of the class."""
    label = next((each for each in node.named_children if each.type == "type_identifier"), None)
    if label is not None:
        yield from _labelled(path, node, label)
        return
    above = node.parent
    while above is not None:
        if above.type == "lambda_literal" and receiver(above):
            yield Unknown("a lambda may have a receiver")
            return
        kind = extended(above)
        if kind is not None:
            for value in resolver.values(path, kind):
                yield Instance(value) if isinstance(value, Class) else value
            return
        if above.type in TYPES:
            yield Instance(Class(path, above))
            return
        above = above.parent
    yield Unknown("this stands in no class")


def _labelled(path: str, node: tree_sitter.Node, label: tree_sitter.Node) -> Iterator[Value]:
    above = nodes.around(node, *TYPES)
    while above is not None:
        name = next((each for each in above.named_children if each.type == "type_identifier"), None)
        if name is not None and name.text == label.text:
            yield Instance(Class(path, above))
            return
        above = nodes.around(above, *TYPES)
    yield Unknown("nobody can tell what is called so")


def extended(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The type that a function or property extends."""
    if node.type not in ("function_declaration", "property_declaration", "anonymous_function"):
        return None
    found = next((each for each in node.named_children if each.type == "receiver_type"), None)
    return found.named_children[-1] if found is not None and found.named_children else None


def parent(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``super`` is where it stands."""
    around = nodes.around(node, *TYPES)
    found = list(bases(resolver, Class(path, around))) if around is not None else []
    yield from (Instance(value) if isinstance(value, Class) else value for value in found)
    if not found:
        yield Elsewhere("Any")
