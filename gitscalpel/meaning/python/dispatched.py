"""Functions that are registered for another one (``functools.singledispatch``) and take its calls."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.python import parameters, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Function

_REGISTER = "register"


def twins(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """Yield the parameters that take the same keyword as a parameter of a function that dispatches."""
    if binding.kind != "function":
        return
    for place in resolver.binders(binding):
        function = place.mention.scopes[0].node if place.mention.scopes else None
        is_parameter = place.mention.kind == "parameter" and function is not None
        if not is_parameter or function is None or function.type != "function_definition":
            continue
        for generic in _dispatching(resolver, Function(place.path, function)):
            for each in (generic, *_registered(resolver, generic)):
                if _takes(resolver, each, binding.name):
                    scope = (each.node.start_byte, each.node.end_byte)
                    yield Binding(each.path, scope, "function", binding.name)


def _dispatching(resolver: Resolver, function: Function) -> Iterator[Function]:
    """Yield the generic function that a function is, or is registered for."""
    if parameters.is_decorated(resolver, function, "singledispatch", "singledispatchmethod"):
        yield function
    for decorator in parameters.decorators(function.node):
        generic = _generic(decorator)
        if generic is not None:
            found = (each for each in resolver.values(function.path, generic) if isinstance(each, Function))
            yield from (each for each in found if each != function and each in _dispatching(resolver, each))


def _registered(resolver: Resolver, generic: Function) -> Iterator[Function]:
    """Yield the functions that are registered for a function."""
    name = generic.node.child_by_field_name("name")
    said = "" if name is None else words.text(resolver, generic.path, name)
    for path in resolver.files.naming(_REGISTER, "python") if said else ():
        for mention in resolver.lexical(path).of(_REGISTER):
            attribute = mention.node.parent
            function = _decorated(attribute) if attribute is not None else None
            if function is None or function.type != "function_definition" or attribute is None:
                continue
            registered = Function(path, function)
            if generic in _dispatching(resolver, registered):
                yield registered


def _generic(decorator: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return ``f`` of ``f.register``."""
    attribute = decorator.child_by_field_name("attribute") if decorator.type == "attribute" else None
    is_register = attribute is not None and attribute.text == _REGISTER.encode()
    return decorator.child_by_field_name("object") if is_register else None


def _decorated(node: tree_sitter.Node) -> tree_sitter.Node | None:
    around = nodes.around(node, "decorated_definition", "block", "module")
    is_one = around is not None and around.type == "decorated_definition"
    return around.child_by_field_name("definition") if around is not None and is_one else None


def _takes(resolver: Resolver, function: Function, name: str) -> bool:
    """Return True if a function takes a keyword, which the argument that decides cannot be."""
    bound = resolver.lexical(function.path).bound(name).get(function.node.id, ())
    given = function.node.child_by_field_name("parameters")
    first = given.named_children[:1] if given is not None else []
    places = [each.start for each in bound if each.kind == "parameter"]
    return bool(places) and not any(each.start_byte <= places[0] < each.end_byte for each in first)
