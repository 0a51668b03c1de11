"""The class that holds a member, and the parts that it is declared in."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Class


def holder(resolver: Resolver, binding: Binding) -> Class | None:
    """The class whose member a name is."""
    root = resolver.lexical(binding.path).syntax.root
    node = root.descendant_for_byte_range(binding.scope[0], max(binding.scope[0], binding.scope[1] - 1))
    while node is not None and (node.start_byte, node.end_byte) != binding.scope:
        node = node.parent
    return None if node is None else Class(binding.path, node)


def of(resolver: Resolver, binding: Binding) -> Iterator[Class]:
    """The classes that a name is of."""
    yield from (each for each in resolver.worth(binding) if isinstance(each, Class))
