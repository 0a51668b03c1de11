"""Declarations of a function, whose parameters of one name are one: overloads (PEP 484), and branches."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.python import parameters, stubs
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Function

_BRANCHING = ("if_statement", "try_statement", "match_statement", "case_clause")


def twins(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """The same parameter of the other declarations, and of what implements them."""
    if binding.kind != "function" or not _is_parameter(resolver, binding):
        return
    syntax = resolver.lexical(binding.path).syntax
    found = [Function(binding.path, node) for node in stubs.alike(syntax, binding.scope)]
    if not any(parameters.is_decorated(resolver, each, "overload") for each in found):
        found = [each for each in found if _is_alternative(each.node, binding.scope)]
    for each in found:
        other = binding._replace(scope=(each.node.start_byte, each.node.end_byte))
        if other != binding and _is_parameter(resolver, other):
            yield other


def _is_alternative(node: tree_sitter.Node, scope: tuple[int, int]) -> bool:
    """Return True if a function is defined in another branch than one of these bytes (``if``, ``try``)."""
    above = node.parent
    while above is not None and not above.start_byte <= scope[0] < above.end_byte:
        above = above.parent
    return above is not None and above.type in _BRANCHING


def _is_parameter(resolver: Resolver, binding: Binding) -> bool:
    return any(place.mention.kind == "parameter" for place in resolver.binders(binding))
