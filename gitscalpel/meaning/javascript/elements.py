"""What an attribute of a JSX element names: a property of what the component takes."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.javascript import words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Elsewhere, Function, Meaning, Unknown
from gitscalpel.syntax.mentions import Mention


def meant(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """The property of the component's parameter; an element of the page, or what such a one has."""
    if mention.node.type == "identifier":
        yield _of_page(resolver)
        return
    given = mention.node.parent
    element = given.parent if given is not None else None
    name = element.child_by_field_name("name") if element is not None else None
    if name is None:
        yield Unknown("it is an attribute of nothing")
    elif name.type == "identifier" and words.mention(resolver, path, name).role == "keyword":
        yield _of_page(resolver)
    else:
        yield from _property(resolver, path, mention.name, name)


def _property(
    resolver: Resolver, path: str, attribute: str, component: tree_sitter.Node
) -> Iterator[Meaning]:
    for value in resolver.values(path, component):
        pattern = _first(value.node) if isinstance(value, Function) else None
        if pattern is None or not isinstance(value, Function):
            yield Unknown("what the component takes is not known")
            continue
        for taken in resolver.values(value.path, pattern):
            yield from resolver.members(taken, attribute) or (Unknown("it takes no such thing"),)


def _of_page(resolver: Resolver) -> Meaning:
    """No file defines it, but for one that declares all elements there are."""
    return resolver.once(("elements",), lambda: (_declared(resolver),), ())[0]


def _declared(resolver: Resolver) -> Meaning:
    if any(True for _ in resolver.files.holding("IntrinsicElements")):
        return Unknown("it may be declared among all elements")
    return Elsewhere("elements of the page")


def _first(function: tree_sitter.Node) -> tree_sitter.Node | None:
    """The pattern of a function's first parameter."""
    parameters = function.child_by_field_name("parameters")
    first = parameters.named_child(0) if parameters is not None else None
    return None if first is None else (first.child_by_field_name("pattern") or first)
