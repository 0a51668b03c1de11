"""What an attribute of a JSX element names: a property of what the component takes."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Elsewhere, Function, Meaning, Unknown
from gitscalpel.syntax.mentions import Mention


def attribute(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """The property of the component's parameter."""
    given = mention.node.parent
    element = given.parent if given is not None else None
    name = element.child_by_field_name("name") if element is not None else None
    if name is None:
        yield Unknown("it is an attribute of nothing")
        return
    if name.type == "identifier" and resolver.lexical(path).text[name.start_byte : name.end_byte].islower():
        yield Elsewhere("elements of the page")
        return
    for value in resolver.values(path, name):
        pattern = _first(value.node) if isinstance(value, Function) else None
        if pattern is None:
            yield Unknown("what the component takes is not known")
            continue
        for taken in resolver.values(_path(value), pattern):
            yield from resolver.members(taken, mention.name) or (Unknown("it takes no such thing"),)


def _path(value: object) -> str:
    return value.path if isinstance(value, Function) else ""


def _first(function: tree_sitter.Node) -> tree_sitter.Node | None:
    """The pattern of a function's first parameter."""
    parameters = function.child_by_field_name("parameters")
    first = parameters.named_child(0) if parameters is not None else None
    return None if first is None else (first.child_by_field_name("pattern") or first)
