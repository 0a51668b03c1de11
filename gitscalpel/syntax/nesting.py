"""Which symbol stands in which, and what it is there: a method, a field, or a function's local.

Positions nest, so one sorted pass with a stack gives parents and children;
cost is linear in the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import tree_sitter

from gitscalpel.syntax.symbols import BINDINGS, FUNCTIONS, NAMELESS, TYPES, Symbol


def nested(
    symbols: list[Symbol], scopes: list[tree_sitter.Node], prefixes: list[tree_sitter.Node]
) -> Iterator[Symbol]:
    """Yield the top-level symbols with their children in place.

    Args:
        symbols: all of them.
        scopes: the nodes in which names are local.
        prefixes: the nodes of symbols that, without a body, are the scope of what follows them.
    """
    reach = {node.id: _reach(node, prefixes) for node in prefixes}
    events: list[tuple[int, int, int, Symbol | None]] = [
        (s.node.start_byte, -(s.reach if s.body else reach.get(s.node.id, s.reach)), 1, s) for s in symbols
    ]
    events += [(node.start_byte, -node.end_byte, 2, None) for node in scopes]
    stack: list[tuple[int, Symbol | None]] = []
    places: Counter[tuple[int, tuple[str, ...]]] = Counter()
    for start, end, _, symbol in sorted(events, key=lambda event: event[:3]):
        while stack and stack[-1][0] <= start:
            stack.pop()
        holder = symbol
        if symbol is not None:
            if stack and (twin := stack[-1][1]) is not None and twin.node.id == symbol.node.id:
                stack.pop()  # one statement binds both names; the first with a body holds what is in it
                holder = twin if twin.body is not None else symbol
            symbol.parent = next((s for _, s in reversed(stack) if s is not None), None)
            # The function node of a definition lies within it; only what is around counts.
            symbol.local = any(s is None or s.kind in FUNCTIONS for _, s in stack)
            if (symbol.kind in BINDINGS or symbol.declared) and _is_no_symbol(stack):
                continue
            _settle_kind(symbol)
            if symbol.segments[-1] == NAMELESS and symbol.kind == "item":
                place = id(symbol.parent), symbol.segments
                symbol.index = places[place]
                places[place] += 1
            if symbol.parent is None:
                yield symbol
            else:
                symbol.parent.children.append(symbol)
        stack.append((-end, holder))


def _reach(prefix: tree_sitter.Node, prefixes: list[tree_sitter.Node]) -> int:
    """Where the scope ends that ``prefix`` opens: at the next of its sort, or with the block around it."""
    after = [n.start_byte for n in prefixes if n.start_byte > prefix.start_byte and n.parent == prefix.parent]
    return min(after, default=prefix.parent.end_byte if prefix.parent else prefix.end_byte)


def _is_no_symbol(stack: list[tuple[int, Symbol | None]]) -> bool:
    """Whether a binding here is a function's local, or part of another binding (``a = b = 1``)."""
    for _, symbol in reversed(stack):
        if symbol is None or symbol.kind in FUNCTIONS:
            return True
        if symbol.kind in BINDINGS:
            return symbol.body is None
        if symbol.kind in TYPES:
            return False
    return False


def _settle_kind(symbol: Symbol) -> None:
    """A function or variable directly in a type is its method or field."""
    if symbol.parent is not None and symbol.parent.kind in TYPES:
        symbol.kind = {"function": "method", "variable": "field"}.get(symbol.kind, symbol.kind)
