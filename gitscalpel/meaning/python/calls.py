"""What calls give: an instance of the class, what the function returns."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.python import annotated, modules, parameters, passing, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Elsewhere, Function, Instance, Module, Unknown, Value

_KEEPS = frozenset(
    {"property", "cached_property", "staticmethod", "classmethod", "override", "cache", "final"}
)
"""Decorators after which a function gives what it gave before."""
_COPYING = frozenset({"replace", "evolve", "copy", "deepcopy"})
"""Functions of others that give back what they are given first, or another of its kind."""
_LOADING = frozenset({"importlib.import_module", "import_module", "pytest.importorskip", "__import__"})
"""What gives the module that it is told the name of."""


def given(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What a call gives."""
    callee = node.child_by_field_name("function")
    if callee is None:
        return
    if words.text(resolver, path, callee) == "super":
        yield from _super(resolver, path, node)
        return
    loaded = _loaded(resolver, path, node, words.text(resolver, path, callee))
    if loaded is not None:
        yield loaded
        return
    copied = _copied(resolver, path, node, callee)
    if copied is not None:
        yield from resolver.values(path, copied)
        return
    for value in resolver.values(path, callee):
        if isinstance(value, Class):
            yield Instance(value)
        elif isinstance(value, Function):
            yield from returned(resolver, value, (path, node))
        elif isinstance(value, Unknown):
            yield value
        else:
            yield Unknown("what it calls is defined outside of the repository, or is no function")


def _copied(
    resolver: Resolver, path: str, node: tree_sitter.Node, callee: tree_sitter.Node
) -> tree_sitter.Node | None:
    """Return what a call copies: the first argument of ``replace``, or what has ``_replace``."""
    said, values = words.last(resolver, path, callee), resolver.values(path, callee)
    if said == "_replace" and not any(isinstance(each, Function) for each in values):
        return callee.child_by_field_name("object")
    if said not in _COPYING or not values or not all(isinstance(each, Elsewhere) for each in values):
        return None
    given = node.child_by_field_name("arguments")
    is_method = callee.type == "attribute" and given is not None and not given.named_children
    return None if given is None or is_method else given.named_child(0)


def looked_up(resolver: Resolver, value: Value) -> Iterator[Value]:
    """What a member is where it is looked up: a property is what its function gives."""
    if isinstance(value, Function) and parameters.is_decorated(
        resolver, value, "property", "cached_property"
    ):
        yield from returned(resolver, value)
    else:
        yield value


def returned(
    resolver: Resolver, function: Function, call: tuple[str, tree_sitter.Node] | None = None
) -> Iterator[Value]:
    """What a function gives (in a call): by its annotation, else by what it returns."""
    node, path = function.node, function.path
    if is_changed(resolver, function):
        yield Unknown("a decorator may change what it gives")
        return
    annotation = node.child_by_field_name("return_type")
    if annotation is not None:
        yield from annotated.objects(resolver, path, annotation)
        return
    found = results(node)
    for result in found:
        handed = passing.handed(resolver, *call, function, result) if call is not None else None
        yield from resolver.values(path, result) if handed is None else resolver.values(call[0], handed)  # type: ignore[index]
    if not found:
        yield Elsewhere("nothing")


def is_changed(resolver: Resolver, function: Function) -> bool:
    """Whether a decorator may change what a function gives."""
    decorators = parameters.decorators(function.node)
    return any(words.last(resolver, function.path, each) not in _KEEPS for each in decorators)


def entered(resolver: Resolver, value: Value) -> Iterator[Value]:
    """What ``with value as …`` gives."""
    members = resolver.members(value, "__enter__") if isinstance(value, Instance) else ()
    functions = [each for member in members for each in resolver.worth(member) if isinstance(each, Function)]
    for function in functions:
        yield from returned(resolver, function)
    if not functions:
        yield Unknown("it is what a context manager gives")


def _loaded(resolver: Resolver, path: str, node: tree_sitter.Node, callee: str) -> Module | None:
    """The module of the tree that a call loads by its whole name."""
    given = node.child_by_field_name("arguments")
    name = given.named_child(0) if given is not None and callee in _LOADING else None
    if name is None or name.type != "string" or name.named_child_count != 3:
        return None
    dotted = words.text(resolver, path, name.named_children[1])
    if callee == "__import__":  # without ``fromlist`` it gives the outermost package
        dotted = dotted.partition(".")[0]
    found = None if dotted.startswith(".") else modules.find(resolver.files, path, dotted, 0)
    return found if isinstance(found, Module) else None


def _super(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    above = node.parent
    while above is not None and above.type != "class_definition":
        above = above.parent
    if above is None:
        yield Unknown("super stands in no class")
        return
    for base in resolver.dialect(path).bases(resolver, Class(path, above)):
        yield Instance(base) if isinstance(base, Class) else base


def results(function: tree_sitter.Node) -> list[tree_sitter.Node]:
    """What its own return statements give; of a lambda, what it is."""
    body = function.child_by_field_name("body")
    if function.type == "lambda":
        return [] if body is None else [body]
    waiting, found = list(function.children), []
    while waiting:
        node = waiting.pop()
        if node.type == "return_statement":
            found += node.named_children[:1]
        elif node.type not in ("function_definition", "class_definition", "lambda"):
            waiting += node.named_children
    return found
