"""Which of what the patterns found counts: patterns overlap, and some names mean one thing twice."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable

import tree_sitter

from gitscalpel.syntax.definition import Definition
from gitscalpel.syntax.symbols import Span, Symbol


def outside(asides: list[tree_sitter.Node], definitions: list[Definition]) -> list[Definition]:
    """The definitions that stand in none of certain nodes."""
    spans: list[Span] = []
    for node in sorted(asides, key=lambda node: node.start_byte):
        if not spans or node.start_byte >= spans[-1].end:
            spans.append(Span(node.start_byte, node.end_byte))
    starts = [span.start for span in spans]
    held = (bisect(starts, d.node.start_byte) - 1 for d in definitions)
    return [d for d, n in zip(definitions, held, strict=True) if n < 0 or d.node.start_byte >= spans[n].end]


def names(definitions: list[Definition]) -> list[Definition]:
    """One definition for each name: the widest, then the one whose pattern comes first."""
    best: dict[int, Definition] = {}
    for definition in sorted(definitions, key=lambda d: (d.node.start_byte - d.node.end_byte, d.pattern)):
        best.setdefault(definition.name.node.start_byte, definition)
    return sorted(best.values(), key=lambda d: d.name.node.start_byte)


def statements(symbols: Iterable[Symbol]) -> list[Symbol]:
    """What one statement names twice (``typedef struct s { … } s``) is one symbol."""
    best: dict[tuple[int, tuple[str, ...]], Symbol] = {}
    for symbol in symbols:
        best.setdefault((symbol.node.id, symbol.segments), symbol)
    return list(best.values())
