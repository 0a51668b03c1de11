"""A parameter of a method and that of the method that it overrides: who calls either by name means both."""

from __future__ import annotations

import builtins
from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.python import parameters, words
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding, Class, Elsewhere, Function, Meaning, Unknown


def overridden(resolver: Resolver, binding: Binding) -> Iterator[Meaning]:
    """The same parameter of the methods that its method overrides; and bases outside of the tree."""
    method = _method(resolver, binding) if binding.kind == "function" else None
    if method is None:
        return
    name, owner = method
    for base in resolver.ancestry(owner)[1:]:
        if isinstance(base, Class):
            for member in resolver.own_members(base, name):
                yield from _parameter(resolver, member, binding.name)
        elif isinstance(base, (Elsewhere, Unknown)) and base != Elsewhere("builtins"):
            yield base


def method(resolver: Resolver, binding: Binding) -> Binding | None:
    """Return the method of a parameter that callers may give by its name, as a member of its class."""
    found = _method(resolver, binding)
    return None if found is None else next(iter(resolver.own_members(found[1], found[0])), None)


def is_of_builtin(resolver: Resolver, place: Place) -> bool:
    """Whether a class that the language has, and that a member's class inherits from, has it as well."""
    node = nodes.around(place.mention.node, "class_definition")
    if node is None or place.mention.role != "bind":
        return False
    known = resolver.ancestry(Class(place.path, node))
    return any(_builtin_has(resolver, each, place.mention.name) for each in known if isinstance(each, Class))


def _builtin_has(resolver: Resolver, of: Class, name: str) -> bool:
    """Whether one of the bases that a class names itself is the language's and has a member."""
    given = of.node.child_by_field_name("superclasses")
    for base in given.named_children if given is not None else ():
        if Elsewhere("builtins") in resolver.values(of.path, base):
            known = getattr(builtins, nodes.text(resolver, of.path, base), None)
            if isinstance(known, type) and known is not object and hasattr(known, name):
                return True
    return False


def _parameter(resolver: Resolver, member: Binding, name: str) -> Iterator[Meaning]:
    for place in resolver.binders(member):
        node = place.mention.node.parent
        if node is not None and node.type == "function_definition" and _has(resolver, place.path, node, name):
            yield Binding(place.path, (node.start_byte, node.end_byte), "function", name)


def _method(resolver: Resolver, binding: Binding) -> tuple[str, Class] | None:
    """The name and the class of the method whose parameter it is, if callers can give it by name."""
    node = _node(resolver.lexical(binding.path).syntax.root, binding.scope)
    if (
        node is None
        or node.type != "function_definition"
        or not _has(resolver, binding.path, node, binding.name)
    ):
        return None
    named, block = node.child_by_field_name("name"), node.parent
    name = "" if named is None else words.text(resolver, binding.path, named)
    if block is not None and block.type == "decorated_definition":
        block = block.parent
    owner = block.parent if block is not None else None
    is_own = name.startswith("__")
    if owner is None or owner.type != "class_definition" or is_own or _is_by_place(resolver, binding, node):
        return None
    return name, Class(binding.path, owner)


def _has(resolver: Resolver, path: str, function: tree_sitter.Node, name: str) -> bool:
    bound = resolver.lexical(path).bound(name).get(function.id, ())
    return any(mention.kind == "parameter" for mention in bound)


def _is_by_place(resolver: Resolver, binding: Binding, function: tree_sitter.Node) -> bool:
    """Whether it is the receiver, or stands before a ``/``."""
    given = function.child_by_field_name("parameters")
    children = given.named_children if given is not None else []
    at = [
        each.start_byte <= mention.start < each.end_byte
        for mention in resolver.lexical(binding.path).bound(binding.name).get(function.id, ())
        if mention.kind == "parameter"
        for each in children
    ]
    if True not in at:
        return False
    place = at.index(True)
    is_static = parameters.is_decorated(resolver, Function(binding.path, function), "staticmethod")
    slash = [number for number, each in enumerate(children) if each.type == "positional_separator"]
    return (place == 0 and not is_static) or any(place < number for number in slash)


def _node(root: tree_sitter.Node, scope: tuple[int, int]) -> tree_sitter.Node | None:
    node = root.descendant_for_byte_range(scope[0], max(scope[0], scope[1] - 1))
    while node is not None and (node.start_byte, node.end_byte) != scope:
        node = node.parent
    return node
