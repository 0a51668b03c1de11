"""Members of types that nothing joins, but an object of the one is handed where the other is asked for.

Where a type asks for what an object has, and not for what it says that it is, both have to be called alike
for as long as that is done. Whether it has to be done, nobody can tell: so they are told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple

from gitscalpel.changesets.answers import quoted
from gitscalpel.meaning.family import Family
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import OUTSIDE, WHOLE, Binding, Class, Unknown

_WHY = "an object of the one type is handed where the other is asked for"


class Given(NamedTuple):
    """What is handed where a class is asked for.

    Attributes:
        found: its members of one name, and why.
        more: why there may be others; nothing where there are none.
        outside: the paths and lines at which an object from outside of the tree is handed.
    """

    found: dict[Binding, str]
    more: str
    outside: frozenset[tuple[str, int]] = frozenset()


def met(resolver: Resolver, family: Family, bindings: Iterable[Binding]) -> dict[Binding, str]:
    """Return those of some names that meet the members of a family, also by way of each other, and why."""
    names = [*dict.fromkeys((*sorted(family.members), *bindings))]
    of_classes = [*filter(_is_of_class, names)]
    found = _met_members(resolver, family, of_classes)
    return found | _met_parameters(resolver, family, [each for each in names if each.kind == "function"])


def _met_members(resolver: Resolver, family: Family, names: list[Binding]) -> dict[Binding, str]:
    if family.members.isdisjoint(names):
        return {}
    meetings = Meetings(resolver, names, family.holder)
    for member in sorted(family.members.intersection(names)):
        family.outside |= meetings.outside(member)
    if family.members.issuperset(names):
        return {}
    found: dict[Binding, str] = {}
    waiting = [each for each in names if each in family.members]
    while waiting:
        for binding, why in meetings.of(waiting.pop()):
            along = family.roots(binding) | {each for each in names if binding in family.roots(each)}
            new = along - family.members - found.keys()
            found |= dict.fromkeys(new, why)
            waiting += sorted(new)
    for binding in sorted(family.members):
        for other, why in meetings.possible(binding):
            if other not in family.members:
                found.setdefault(other, why)
    return found


def _met_parameters(resolver: Resolver, family: Family, names: list[Binding]) -> dict[Binding, str]:
    """Return the parameters whose methods meet those of the family's parameters."""
    mine = family.members.intersection(names)
    if not mine or family.members.issuperset(names):
        return {}
    methods = {each: resolver.dialect(each.path).method(resolver, each) for each in names}
    known = [each for each in dict.fromkeys(methods.values()) if each is not None]
    meetings = Meetings(resolver, known, family.holder)
    found: dict[Binding, str] = {}
    for own in filter(None, map(methods.get, sorted(mine))):
        near = {**dict(meetings.possible(own)), **dict(meetings.of(own))}
        found |= {
            each: near[method]
            for each, method in methods.items()
            if each not in mine and method is not None and method.name == own.name and method in near
        }
    return found


class Meetings:
    """Which members of one name meet.

    Args:
        resolver: of the tree.
        names: all of them.
        holder: says of which class one is.
    """

    def __init__(
        self, resolver: Resolver, names: list[Binding], holder: Callable[[Binding], Class | None]
    ) -> None:
        self._resolver = resolver
        self._names = names
        self._holder = cache(holder)
        self._asking = {each for each in names if resolver.dialect(each.path).asks(resolver, each)}
        self._given: dict[Binding, Given] = {}

    def of(self, member: Binding) -> Iterator[tuple[Binding, str]]:
        """Those that a member meets, and why."""
        if any(self._fits(other, member) for other in self._names):
            yield from self._handed(member).found.items()
        for other in self._names:
            why = self._handed(other).found.get(member) if self._fits(member, other) else None
            yield from () if why is None else ((other, why),)

    def outside(self, member: Binding) -> frozenset[tuple[str, int]]:
        """Return the places at which an object from outside is handed that has to have a member."""
        return self._handed(member).outside if member in self._asking else frozenset()

    def possible(self, member: Binding) -> Iterator[tuple[Binding, str]]:
        """Those that it may meet, and why nobody can tell."""
        for other in self._names:
            for given, asked in ((member, other), (other, member)):
                why = self._handed(asked).more if self._fits(given, asked) else ""
                yield from ((other, why),) if why else ()

    def _fits(self, given: Binding, asked: Binding) -> bool:
        resolver = self._resolver
        if given == asked or asked not in self._asking:
            return False
        if resolver.rules(given.path) is not resolver.rules(asked.path):
            return False
        one, other = self._holder(given), self._holder(asked)
        if one is None or other is None:
            return False
        return resolver.dialect(asked.path).fits(resolver, one, other)

    def _handed(self, asked: Binding) -> Given:
        known = self._given.get(asked)
        if known is None:
            known = self._given[asked] = self._had(asked)
        return known

    def _had(self, asked: Binding) -> Given:
        resolver = self._resolver
        found, more = dict[Binding, str](), ""
        outside = set[tuple[str, int]]()
        holder = self._holder(asked)
        for each in resolver.dialect(asked.path).handed(resolver, holder) if holder is not None else ():
            spot = f"{quoted(each.path)}:{resolver.line(each.path, each.start)}"
            if isinstance(each.value, Unknown):
                more = each.value.why
                continue
            if each.value == OUTSIDE:
                outside.add((each.path, resolver.line(each.path, each.start)))
                continue
            for given in resolver.members(each.value, asked.name):
                if isinstance(given, Binding) and given != asked:
                    found.setdefault(given, f"{_WHY} ({spot})")
        return Given(found, more, frozenset(outside))


def _is_of_class(binding: Binding) -> bool:
    return binding.kind == "class" and binding.scope != WHOLE
