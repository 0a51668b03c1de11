"""Declarations of an overloaded function, whose parameters of one name are one (PEP 484, ``@overload``)."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.meaning.python import parameters, stubs
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Function


def twins(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """The same parameter of the other declarations, and of what implements them."""
    if binding.kind != "function" or not _is_parameter(resolver, binding):
        return
    syntax = resolver.lexical(binding.path).syntax
    found = [Function(binding.path, node) for node in stubs.alike(syntax, binding.scope)]
    if not any(parameters.is_decorated(resolver, each, "overload") for each in found):
        return
    for each in found:
        other = binding._replace(scope=(each.node.start_byte, each.node.end_byte))
        if other != binding and _is_parameter(resolver, other):
            yield other


def _is_parameter(resolver: Resolver, binding: Binding) -> bool:
    return any(place.mention.kind == "parameter" for place in resolver.binders(binding))
