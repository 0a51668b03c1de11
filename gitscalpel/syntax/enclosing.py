"""What a definition stands in: conditions and blocks that decide whether it is one at all.

``if 0:`` above a function leaves each of its bytes as it was, and takes it away.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

import tree_sitter

from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import Symbol

_BODIES = frozenset({"body", "consequence", "alternative"})
"""The fields in which grammars keep what stands in a block, which is not what makes it one."""


def named(outline: Outline) -> Set[int]:
    """The ids of the nodes that are definitions."""
    return {node.id for each in outline.walk() for node in (each.node, each.own)}


def enclosing(symbol: Symbol, named: Set[int]) -> tuple[bytes, ...]:
    """The blocks around a definition from the inside out, each by its kind and by how it begins.

    Definitions around it, of those that are ``named``, are not among them: they have names of their own.
    """
    found: list[bytes] = []
    node = symbol.node
    while node.parent is not None:
        around = node.parent
        if around.parent is not None and around.id not in named:
            found.append(b" ".join((around.type.encode(), *_head(around, node))))
        node = around
    return tuple(found)


def _head(around: tree_sitter.Node, inner: tree_sitter.Node) -> Iterator[bytes]:
    """The words of a block that are neither ``inner``, which stands in it, nor beside that."""
    fields = [around.field_name_for_child(n) for n in range(around.child_count)]
    at = next(n for n, child in enumerate(around.children) if child.id == inner.id)
    for n, child in enumerate(around.children):
        if n == at or child.is_extra or fields[n] in _BODIES:
            continue
        is_word = not child.is_named and n == 0
        if fields[n] is not None or is_word or (n < at and fields[at] is not None):
            yield child.text or b""
