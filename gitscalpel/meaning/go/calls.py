"""What calls give: what a function returns, a value of a type, what the language's own functions make."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.go import types
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Elsewhere, Function, Instance, Unknown, Value


def given(resolver: Resolver, path: str, node: tree_sitter.Node, position: int) -> Iterator[Value]:
    """What a call gives in one of its places."""
    callee, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if callee is None:
        return
    first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
    for value in resolver.values(path, callee):
        if isinstance(value, Function):
            yield from _returned(resolver, value, position)
        elif isinstance(value, Class):
            yield Instance(value)
        elif isinstance(value, Instance):
            yield from _held(resolver, value, position)
        elif value == Elsewhere("the language") and first is not None:
            yield from _made(resolver, path, nodes.text(resolver, path, callee), first)
        else:
            yield value if isinstance(value, Unknown) else Unknown("what it calls is defined outside")


def _held(resolver: Resolver, value: Instance, position: int) -> Iterator[Value]:
    """Yield what a value of a function type gives, whatever the type is called."""
    for each in types.underlying(resolver, value):
        if isinstance(each, Class) and each.node.type == "function_type":
            yield from _returned(resolver, Function(each.path, each.node), position)
        else:
            yield each if isinstance(each, Unknown) else Unknown("what it calls is defined outside")


def _made(resolver: Resolver, path: str, name: str, first: tree_sitter.Node) -> Iterator[Value]:
    if name in ("new", "make"):
        yield from types.objects(resolver, path, first)
    elif name in ("append", "min", "max"):
        yield from resolver.values(path, first)
    else:
        yield Elsewhere("the language")


def _returned(resolver: Resolver, function: Function, position: int) -> Iterator[Value]:
    result = function.node.child_by_field_name("result")
    if result is None:
        yield Elsewhere("the language")
    elif result.type != "parameter_list":
        yield from types.objects(resolver, function.path, result)
    else:
        places = kinds(result)
        yield from types.objects(
            resolver, function.path, places[position] if position < len(places) else None
        )


def kinds(declared: tree_sitter.Node) -> list[tree_sitter.Node | None]:
    """The type in each place of several parameters or results."""
    return [
        each.child_by_field_name("type")
        for each in declared.named_children
        for _ in range(max(1, sum(1 for name in each.children_by_field_name("name") if name.is_named)))
        if each.type != "comment"
    ]
