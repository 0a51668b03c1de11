"""Members of types that nothing joins, but an object of the one is handed where the other is asked for.

Where a type asks for what an object has, and not for what it says that it is, both have to be called alike
for as long as that is done. Whether it has to be done, nobody can tell: so they are told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from gitscalpel.meaning.family import Family
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import WHOLE, Binding, Class, Unknown
from gitscalpel.report import quoted

_WHY = "an object of the one type is handed where the other is asked for"


class Given(NamedTuple):
    """What is handed where a class is asked for.

    Attributes:
        found: its members of one name, and why.
        more: why there may be others; nothing where there are none.
    """

    found: dict[Binding, str]
    more: str


def met(resolver: Resolver, family: Family, bindings: Iterable[Binding]) -> dict[Binding, str]:
    """Those of some names that meet the members of a family, also by way of each other, and why."""
    all_of = dict.fromkeys((*sorted(family.members), *bindings))
    names = [each for each in all_of if _is_of_class(each) and resolver.dialect(each.path).structural()]
    if family.members.isdisjoint(names) or family.members.issuperset(names):
        return {}
    meetings = Meetings(resolver, {each: holder for each in names if (holder := family.holder(each))})
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


class Meetings:
    """Which members of one name meet.

    Args:
        resolver: of the tree.
        holders: their classes.
    """

    def __init__(self, resolver: Resolver, holders: Mapping[Binding, Class]) -> None:
        self._resolver = resolver
        self._holders = holders
        self._given: dict[Binding, Given] = {}

    def of(self, member: Binding) -> Iterator[tuple[Binding, str]]:
        """Those that a member meets, and why."""
        if any(self._fits(other, member) for other in self._holders):
            yield from self._handed(member).found.items()
        for other in self._holders:
            why = self._handed(other).found.get(member) if self._fits(member, other) else None
            yield from () if why is None else ((other, why),)

    def possible(self, member: Binding) -> Iterator[tuple[Binding, str]]:
        """Those that it may meet, and why nobody can tell."""
        for other in self._holders:
            for given, asked in ((member, other), (other, member)):
                why = self._handed(asked).more if self._fits(given, asked) else ""
                yield from ((other, why),) if why else ()

    def _fits(self, given: Binding, asked: Binding) -> bool:
        one, other = self._holders.get(given), self._holders.get(asked)
        if given == asked or one is None or other is None:
            return False
        resolver = self._resolver
        is_one = resolver.rules(one.path) is resolver.rules(other.path)
        return is_one and resolver.dialect(asked.path).fits(resolver, one, other)

    def _handed(self, asked: Binding) -> Given:
        known = self._given.get(asked)
        if known is None:
            known = self._given[asked] = self._had(asked)
        return known

    def _had(self, asked: Binding) -> Given:
        resolver = self._resolver
        found, more = dict[Binding, str](), ""
        for each in resolver.dialect(asked.path).handed(resolver, self._holders[asked]):
            spot = f"{quoted(each.path)}:{resolver.line(each.path, each.start)}"
            if isinstance(each.value, Unknown):
                more = each.value.why
                continue
            for given in resolver.members(each.value, asked.name):
                if isinstance(given, Binding) and given != asked:
                    found.setdefault(given, f"{_WHY} ({spot})")
        return Given(found, more)


def _is_of_class(binding: Binding) -> bool:
    return binding.kind == "class" and binding.scope != WHOLE
