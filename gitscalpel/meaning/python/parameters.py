"""What a parameter may be: by its annotation, or as the first one of a method."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.python import annotated, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Function, Instance, Unknown, Value
from gitscalpel.syntax.occurrences import Mention

_OF_CLASSES = frozenset({"classmethod", "__new__", "__init_subclass__", "__class_getitem__"})


def given(resolver: Resolver, path: str, mention: Mention, above: tree_sitter.Node) -> Iterator[Value]:
    """What a parameter may be in its function."""
    annotation = above.child_by_field_name("type")
    if annotation is not None:
        yield from annotated.objects(resolver, path, annotation)
        return
    own, function = _class_of_first(path, mention)
    said = {words.last(resolver, path, node) for node in decorators(function)} if function else set()
    if own is None or function is None or "staticmethod" in said:
        yield Unknown("it is a parameter")
        return
    name = function.child_by_field_name("name")
    said.add(words.text(resolver, path, name) if name is not None else "")
    yield Instance(own) if said.isdisjoint(_OF_CLASSES) else own


def decorators(function: tree_sitter.Node) -> list[tree_sitter.Node]:
    """What decorates a function, without what these are called with."""
    around = function.parent
    if around is None or around.type != "decorated_definition":
        return []
    found = [node.named_children[0] for node in around.named_children if node.type == "decorator"]
    return [(node.child_by_field_name("function") or node) if node.type == "call" else node for node in found]


def is_decorated(resolver: Resolver, function: Function, *names: str) -> bool:
    """Whether one of these decorates it."""
    return any(words.last(resolver, function.path, node) in names for node in decorators(function.node))


def _class_of_first(path: str, mention: Mention) -> tuple[Class | None, tree_sitter.Node | None]:
    """The class and the function of a method's first parameter."""
    scopes = mention.scopes
    if len(scopes) < 2 or scopes[0].kind != "function" or scopes[1].kind != "class":
        return None, None
    function = scopes[0].node
    parameters = function.child_by_field_name("parameters")
    first = next(iter(parameters.named_children), None) if parameters is not None else None
    is_first = first is not None and first.id == mention.node.id
    return (Class(path, scopes[1].node), function) if is_first else (None, None)
