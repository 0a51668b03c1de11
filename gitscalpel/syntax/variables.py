"""The variables of functions: most of what the patterns find in code, and no symbols."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import tree_sitter

from gitscalpel.syntax.definition import Definition
from gitscalpel.syntax.query import Captures
from gitscalpel.syntax.symbols import BINDINGS, FUNCTIONS, TYPES

_BINDING, _FUNCTION, _TYPE = range(3)


def without(definitions: Sequence[Definition], captures: Captures) -> list[Definition]:
    """The definitions but for those that are certainly a function's variables, which nobody need look at.

    What is certain only once extents are known is left to ``nesting.py``.
    """
    shared = Counter(one.node.id for one in definitions)
    plain = {id(one) for one in definitions if _is_plain(one) and shared[one.node.id] == 1}
    events = [
        (one.node.start_byte, -one.node.end_byte, _BINDING, id(one))
        for one in definitions
        if id(one) in plain
    ]
    events += ((node.start_byte, -node.end_byte, what, 0) for node, what in _around(definitions, captures))
    stack: list[tuple[int, int]] = []
    for start, end, what, which in sorted(events):
        while stack and stack[-1][0] <= start:
            stack.pop()
        if what != _BINDING:
            stack.append((-end, what))
        elif not stack or stack[-1][1] == _TYPE:
            plain.discard(which)
    return [one for one in definitions if id(one) not in plain]


def _is_plain(one: Definition) -> bool:
    """Whether it binds a name to a value, and nothing stands in it."""
    return one.kind in BINDINGS and one.body is None and not (one.declared or one.more)


def _around(definitions: Sequence[Definition], captures: Captures) -> Iterator[tuple[tree_sitter.Node, int]]:
    """The nodes in which names are local, or a type's."""
    types = {one.body.id for one in definitions if one.kind in TYPES and one.body is not None}
    for one in definitions:
        if one.kind in FUNCTIONS:
            yield one.node, _FUNCTION
        elif one.kind in TYPES:
            yield one.node, _TYPE
    for node in captures.nodes["function"]:
        body = node.child_by_field_name("body")
        if body is None or body.id not in types:
            yield node, _FUNCTION
    yield from ((node, _FUNCTION) for node in captures.nodes["local"])
    yield from ((node, _TYPE) for node in captures.nodes["class"])
