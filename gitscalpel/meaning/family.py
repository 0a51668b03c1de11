"""The names that are one: what an import brings under the same name, and what a class overrides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import WHOLE, Binding, Class, Elsewhere, Unknown


class Family:
    """Bindings that have to be called alike.

    Attributes:
        members: all that are known.
        beyond: what of it may be defined where nobody can look.
    """

    def __init__(self, resolver: Resolver, first: Iterable[Binding]) -> None:
        self._resolver = resolver
        self.members: set[Binding] = set()
        self.beyond: set[str] = set()
        for binding in first:
            self.members |= self._roots(binding)

    def grow(self, bindings: Iterable[Binding]) -> None:
        """Take in all that belong to it, and what these bring."""
        roots = {binding: self._roots(binding) for binding in bindings}
        while True:
            found = [r for r in roots.values() if not r.isdisjoint(self.members) and not r <= self.members]
            if not found:
                return
            self.members.update(*found)

    def _roots(self, binding: Binding) -> frozenset[Binding]:
        return frozenset(self._resolver.once(("roots", binding), lambda: self._reached(binding), (binding,)))

    def _reached(self, binding: Binding) -> Iterator[Binding]:
        yield binding
        dialect = self._resolver.dialect_of(binding)
        for twin in dialect.twins(self._resolver, binding):
            yield from self._roots(twin)
        if binding.scope == WHOLE:
            return
        for place in self._resolver.binders(binding):
            if place.mention.kind == "import":
                for meaning in dialect.brings(self._resolver, place.path, place.mention):
                    if isinstance(meaning, Binding) and meaning.name == binding.name:
                        yield from self._roots(meaning)
        if binding.kind == "class" and self._resolver.lexical(binding.path).rules.overrides:
            yield from self._above(binding)

    def _above(self, binding: Binding) -> Iterator[Binding]:
        """The same member of the classes that its class inherits from."""
        own = self._class(binding)
        for base in self._resolver.ancestry(own)[1:] if own else ():
            if isinstance(base, Class):
                member = self._resolver.of_class(base, binding.name)
                if self._resolver.binders(member):
                    yield member
            elif isinstance(base, (Elsewhere, Unknown)) and base != Elsewhere("builtins"):
                self.beyond.add(binding.path)

    def _class(self, binding: Binding) -> Class | None:
        root = self._resolver.lexical(binding.path).syntax.root
        node = root.descendant_for_byte_range(binding.scope[0], max(binding.scope[0], binding.scope[1] - 1))
        while node is not None and (node.start_byte, node.end_byte) != binding.scope:
            node = node.parent
        return None if node is None else Class(binding.path, node)
