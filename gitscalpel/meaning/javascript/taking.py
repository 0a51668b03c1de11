"""The parameter for which an argument is given: of a function that is called, of a class that is made.

What ``new`` and ``super()`` call is the constructor of the class, or that of the nearest base that has one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import tree_sitter

from gitscalpel.meaning.javascript import typed
from gitscalpel.meaning.javascript.typed import Typed
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class, Function, Instance, Value

_CONSTRUCTORS = ("method_definition", "method_signature", "construct_signature")


class Parameter(NamedTuple):
    """One of a function.

    Attributes:
        path: of the file in which it is written.
        function: what takes it.
        node: itself.
    """

    path: str
    function: tree_sitter.Node
    node: tree_sitter.Node

    def types(self, resolver: Resolver) -> tuple[Typed, ...]:
        """The types that are written down for what is given for it; none where nothing says so."""
        kind = self.node.child_by_field_name("type")
        if kind is None:
            return ()
        written = (Typed(self.path, kind),)
        return tuple(typed.items(resolver, written)) if _is_rest(self.node) else written


def of(resolver: Resolver, path: str, argument: tree_sitter.Node) -> Iterator[Parameter | None]:
    """What a call may take an argument for; None: it may be what is not known.

    Args:
        resolver: of the tree.
        path: of the file with the call.
        argument: a node in the brackets of the call.
    """
    holder = argument.parent
    call = holder.parent if holder is not None else None
    given = _but_comments(holder) if holder is not None else []
    at = next(n for n, each in enumerate(given) if each.id == argument.id)
    if call is None or any(each.type == "spread_element" for each in given[: at + 1]):
        yield None
        return
    called, made = (call.child_by_field_name(field) for field in ("function", "constructor"))
    is_made = made is not None or (called is not None and called.type == "super")
    for value in resolver.values(path, node) if (node := made or called) is not None else ():
        for function in _functions(resolver, value, is_made=is_made):
            yield None if function is None else _nth(function, at)


def _functions(resolver: Resolver, value: Value, *, is_made: bool) -> Iterator[Function | None]:
    """What is called where a value is, or is made one of; nothing where that takes no arguments."""
    if isinstance(value, Function):
        yield value
    elif is_made and isinstance(value, (Class, Instance)):
        yield from _constructors(resolver, value if isinstance(value, Class) else value.of)
    else:
        yield None


def _constructors(resolver: Resolver, of: Class) -> Iterator[Function | None]:
    for each in resolver.ancestry(of):
        if not isinstance(each, Class):
            yield None
            return
        own = [node for node in each.node.named_children if _is_constructor(node)]
        signed = [node for node in own if node.child_by_field_name("body") is None]
        if own:  # of several, callers see those without a body
            yield from (Function(each.path, node) for node in signed or own)
            return


def _is_constructor(node: tree_sitter.Node) -> bool:
    name = node.child_by_field_name("name")
    is_named = name is not None and name.text == b"constructor"
    return node.type in _CONSTRUCTORS and (is_named or node.type == "construct_signature")


def _nth(function: Function, at: int) -> Parameter | None:
    held = function.node.child_by_field_name("parameters")
    taken = _but_comments(held) if held is not None else []
    if taken and at >= len(taken) - 1 and _is_rest(taken[-1]):
        at = len(taken) - 1
    return Parameter(function.path, function.node, taken[at]) if at < len(taken) else None


def _is_rest(parameter: tree_sitter.Node) -> bool:
    pattern = parameter.child_by_field_name("pattern") or parameter
    return pattern.type == "rest_pattern"


def _but_comments(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    return [each for each in node.named_children if each.type != "comment"]
