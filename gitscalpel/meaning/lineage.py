"""Which names of a family are in one line: a member, what it overrides, and what overrides it.

Two types that implement one interface are called alike, but neither one's method is the other's. And what is
called on a base may be what overrides it there: that is decided when the program runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from gitscalpel.meaning.family import Family
from gitscalpel.meaning.found import Found
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding, Instance


class Doubt(Enum):
    """Why a place of a family may not be that of one of its members, in words."""

    BESIDE = "it is another one, which has to be called alike"
    ABOVE = "it is what is overridden, and may lead to what overrides it"


class Lineage:
    """The line of some members of a family, as they are meant at a place."""

    def __init__(
        self, resolver: Resolver, family: Family, first: Iterable[Binding], place: Place | None
    ) -> None:
        self._resolver = resolver
        self._family = family
        self._first = frozenset(each for each in first if each.kind == "class")
        self._holder = self._holder_at(place) if place is not None and self._first else None

    def doubt(self, found: Found) -> Doubt | None:
        """Why a place of the family is not certainly one of the first ones; None where it is."""
        meanings = (*found.meanings, *found.keys)
        ours = [each for each in meanings if isinstance(each, Binding) and each in self._family.members]
        if not self._first or not ours or any(each.kind != "class" for each in ours):
            return None
        lines = [(each, self._line(each)) for each in ours]
        if any(not self._first.isdisjoint(line) for _, line in lines):
            return self._held(found) if self._holder is not None else None
        above = any(each in self._line(one) for each in ours for one in self._first)
        return Doubt.ABOVE if above and self._may_lead(found) else Doubt.BESIDE

    def _may_lead(self, found: Found) -> bool:
        """Whether what has the member there may be of a class that overrides it with one of the first."""
        resolver = self._resolver
        receiver = resolver.dialect(found.path).receiver(found.mention)
        values = resolver.values(found.path, receiver) if receiver is not None else ()
        holders = [each.of for each in values if isinstance(each, Instance)]
        if not holders or len(holders) < len(values):
            return True
        return any(self._family.meets(one, each) for one in self._first for each in holders)

    def _holder_at(self, place: Place) -> object:
        return self._resolver.dialect(place.path).holder(self._resolver, *place)

    def _held(self, found: Found) -> Doubt | None:
        """The same of what one base defines for several types."""
        holder = self._holder_at(Place(found.path, found.mention))
        if holder == self._holder:
            return None
        return Doubt.ABOVE if holder is None else Doubt.BESIDE

    def _line(self, binding: Binding) -> frozenset[Binding]:
        """A member, and all that it overrides; of an interface in Go, which nobody names, what has it."""
        resolver = self._resolver
        if resolver.rules(binding.path).overrides:
            return self._family.own(binding)
        twins = resolver.dialect_of(binding).twins
        return frozenset({binding, *resolver.once(("line", binding), lambda: twins(resolver, binding), ())})
