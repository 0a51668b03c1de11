"""Classes whose body the grammar takes for a lambda: it gives that of ``class A : I by x { … }`` to ``x``.

Nobody can tell what is declared there, and so it is said of all who name it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import WHOLE, Binding, Meaning, Unknown

_UP = ("statements", "lambda_literal", "annotated_lambda", "call_suffix", "call_expression")
_WHY = Unknown("it stands in the body of a class behind `by`, which the grammar takes for a lambda")


def doubted(resolver: Resolver, found: Iterable[Meaning]) -> Iterator[Meaning]:
    """What a name means, but for what is declared in such a body."""
    for each in found:
        yield _WHY if isinstance(each, Binding) and _is_inside(resolver, each) else each


def _is_inside(resolver: Resolver, binding: Binding) -> bool:
    if binding.scope == WHOLE or binding.kind not in ("block", "let"):
        return False
    start, end = binding.scope
    node = resolver.lexical(binding.path).syntax.root.descendant_for_byte_range(start, max(start, end - 1))
    while node is not None and node.type != "statements" and node.start_byte >= start:
        node = node.parent
    return node is not None and _is_body(node)


def _is_body(node: tree_sitter.Node) -> bool:
    above: tree_sitter.Node | None = node
    for kind in _UP:
        if above is None or above.type != kind:
            return False
        above = above.parent
    return above is not None and above.type == "explicit_delegation"
