"""Bindings that must have one name: imports, overrides, and members that one class inherits.

Two types that implement one interface have to use its names, but a method of one is not a method of the
other. A call through the base may reach an override, which is decided when the program runs.

With structural types, two members also need one name if an object of one type is passed where the other
is expected, though no declaration joins the types. Whether the caller wants to keep that cannot be
determined, so such members are reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import cache
from typing import NamedTuple

from gitscalpel.changesets.answers import quoted
from gitscalpel.names import class_hierarchy
from gitscalpel.names.entities import OUTSIDE, WHOLE, Binding, Class, Elsewhere, Instance, Unknown, Value
from gitscalpel.names.resolved_occurrence import ResolvedOccurrence
from gitscalpel.names.resolver import Place, Resolver

_ROOTS, _LINKS = "roots", "links"


class OverrideSet:
    """Bindings that have to be called alike.

    Args:
        resolver: of the tree.
        first: what is asked for.
        apart: what a file imports or exports may be called otherwise there (``as``): then nothing goes along
            that ``first`` comes from, nor what passes it on.

    Attributes:
        members: all that are known.
        apart: as above.
        akin: what may be one with it, and why.
        outside: paths and lines at which an object from outside is handed that has to have the name.
    """

    def __init__(self, resolver: Resolver, first: Iterable[Binding], *, apart: bool = False) -> None:
        self._resolver = resolver
        self.apart = apart
        self.members: set[Binding] = set()
        self.akin: dict[Binding, str] = {}
        self.outside: set[tuple[str, int]] = set()
        self._heirs = class_hierarchy.hierarchy_of(resolver)
        for binding in first:
            self.members |= self.own(binding) if apart else self.roots(binding)

    @property
    def beyond(self) -> set[str]:
        """The files in which a member is that may be defined as well where nobody can look."""
        return {each.path for each in self.members if self._is_open(each)}

    @property
    def overriding(self) -> Iterator[Place]:
        """The definitions of members that certainly override what no class of the tree has."""
        for member in sorted(each for each in self.members if each.kind == "class"):
            dialect = self._resolver.dialect_of(member)
            for place in self._resolver.binders(member):
                if dialect.overrides(self._resolver, place) and not self._is_inherited(member):
                    yield place

    def _is_inherited(self, member: Binding) -> bool:
        """Return True if a class above has the member, too, other than a declaration merged with its own."""
        return any(each != member and member not in self._above(each) for each in self._above(member))

    @property
    def takes(self) -> frozenset[str]:
        """The names of the functions (and classes) that members are parameters of."""
        key = ("takes", *sorted(self.members))
        return frozenset(self._resolver.once(key, self._taking, ()))

    def _taking(self) -> Iterator[str]:
        for member in self.members:
            if member.kind in ("function", "block") and any(
                map(self._is_keyword, self._resolver.binders(member))
            ):
                yield from self._called(member)

    def _is_keyword(self, place: Place) -> bool:
        """Return True for a parameter that may be given by its name."""
        types, above = self._resolver.rules(place.path).keyworded, place.mention.node.parent
        is_one = not types or (above is not None and above.type in types)
        return place.mention.kind == "parameter" and is_one

    def _called(self, parameter: Binding) -> Iterator[str]:
        """What is called where it is given: its function, or the class that this makes objects of."""
        function = self.holder(parameter)
        node = None if function is None else function.node
        while node is not None:
            name = node.child_by_field_name("name")
            text = self._resolver.lexical(parameter.path).text
            said = b"" if name is None else text[name.start_byte : name.end_byte]
            if said:
                yield said.decode("utf-8", "surrogateescape")
            if said and not said.startswith(b"__"):
                return
            node = node.parent
        yield ""  # it has no name of its own

    def grow(self, bindings: Iterable[Binding]) -> None:
        """Take in all that belong to it, and what these bring."""
        names = [*dict.fromkeys(bindings)]
        taken_in = _Graph(names, self._linked if self.apart else self.links, is_followed=not self.apart)
        while True:
            new = self._brought_along(taken_in.leading_to(self.members)) - self.members
            new = new or self._brought_along(self._joined(names))
            if not new:
                break
            self.members |= new
        near = {each for member in self.members for each in self._akin(member)}
        near |= taken_in.leading_to(near)
        self.akin = dict.fromkeys(near, "it may be another one, as nothing joins their declarations")

    def _brought_along(self, bindings: Iterable[Binding]) -> set[Binding]:
        """Return some names with all that is to be called alike with them."""
        if self.apart:
            return {each for binding in bindings for each in self._own_and_beside(binding)}
        return {*_all(bindings, self.links)}

    def _joined(self, bindings: Iterable[Binding]) -> Iterator[Binding]:
        """Those that are no members, though some class has to have both under one name."""
        for each in sorted(binding for binding in bindings if self._is_fulfilling(binding)):
            mine = [member for member in self.members if self._is_fulfilling(member)]
            if each not in self.members and any(self.share(member, each) for member in mine):
                yield each

    def meets(self, member: Binding, of: Class) -> bool:
        """Whether an object of a class, or of one that inherits from it, may be of the class of a member."""
        own = self.holder(member)
        above = self._resolver.ancestry(own) if own is not None else ()
        is_clear = own is not None and not any(isinstance(each, Unknown) for each in above)
        return not is_clear or own is None or self._heirs.meet(of, own)

    def _is_fulfilling(self, binding: Binding) -> bool:
        return binding.kind == "class" and self._resolver.rules(binding.path).fulfils

    def share(self, member: Binding, other: Binding) -> bool:
        """Whether some class has to have both under one name, though neither overrides the other."""
        if not self._is_overridden(member, other) and not self._is_overridden(other, member):
            return False
        one, two = self.holder(member), self.holder(other)
        return one is not None and two is not None and self._heirs.share(one, two)

    def _akin(self, binding: Binding) -> Iterator[Binding]:
        """What may be one with it, if names of its language are linked."""
        if binding.scope == WHOLE:
            return
        linking = self._resolver.linking(binding.path)
        for each in linking.akin(self._resolver, binding) if linking is not None else ():
            yield from self.roots(each)

    def _linked(self, binding: Binding) -> frozenset[Binding]:
        """What takes it in, if it is a member: of imports, what they bring."""
        return self.own(binding) | frozenset(self._brought(binding, ("import", "passed")))

    def _own_and_beside(self, binding: Binding) -> frozenset[Binding]:
        """The same, and what one import brings together with a member: a type and a value of one name."""
        scopes = {(each.path, each.scope) for each in self.members}
        brought = [*self._brought(binding, ("import", "passed"))]
        beside = [each for each in brought if (each.path, each.scope) in scopes] if len(brought) > 1 else []
        return self.own(binding).union(*map(self.own, beside))

    def own(self, binding: Binding) -> frozenset[Binding]:
        """What is one with it wherever it is brought to."""
        key = ("own", binding)
        return frozenset(self._resolver.once(key, lambda: _all([binding], self._beside), (binding,)))

    def roots(self, binding: Binding) -> frozenset[Binding]:
        """The same, and what it is brought from."""
        key = (_ROOTS, binding)
        return frozenset(self._resolver.once(key, lambda: _all([binding], self.links), (binding,)))

    def links(self, binding: Binding) -> tuple[Binding, ...]:
        """Return what is one with a name in one step.

        Each link of a chain of exports asks for all that follow, so a link is kept unless it was cut short.
        """
        known: tuple[Binding, ...] | None = self._resolver.known((_LINKS, binding))  # type: ignore[assignment]
        if known is None:
            before = self._resolver.cuts
            known = (*self._beside(binding), *self._brought(binding, ("import", "export", "passed")))
            if self._resolver.cuts == before:
                self._resolver.know((_LINKS, binding), known)
        return known

    def _beside(self, binding: Binding) -> Iterator[Binding]:
        """What declares the same name elsewhere, and what it overrides."""
        yield from self._resolver.dialect_of(binding).twins(self._resolver, binding)
        if binding.kind == "class" and self._resolver.rules(binding.path).overrides:
            yield from self._above(binding)

    def _brought(self, binding: Binding, kinds: tuple[str, ...]) -> Iterator[Binding]:
        """What it is called alike where it comes from."""
        if binding.scope == WHOLE:
            return
        for place in self._resolver.binders(binding):
            if place.mention.kind in kinds:
                for meaning in self._resolver.dialect(place.path).brings(
                    self._resolver, place.path, place.mention
                ):
                    if isinstance(meaning, Binding) and meaning.name == binding.name:
                        yield meaning

    def _above(self, binding: Binding) -> Iterator[Binding]:
        """The same member of the classes that its class inherits from."""
        for base in self._bases(binding):
            if isinstance(base, Class):
                for member in self._resolver.own_members(base, binding.name):
                    if self._is_overridden(binding, member):
                        yield member

    def _bases(self, binding: Binding) -> tuple[Value, ...]:
        """What the class of a member inherits from."""
        own = self.holder(binding)
        return self._resolver.ancestry(own)[1:] if own else ()

    def _is_open(self, binding: Binding) -> bool:
        """Whether it may be that of something outside of the tree."""
        if self._resolver.dialect_of(binding).is_open(self._resolver, binding):
            return True
        if binding.kind != "class" or not self._resolver.rules(binding.path).overrides:
            return False
        outside = (each for each in self._bases(binding) if isinstance(each, (Elsewhere, Unknown)))
        return any(each != Elsewhere("builtins") for each in outside)

    def _is_overridden(self, binding: Binding, member: Binding) -> bool:
        """Whether a member is what another class has in its place, and not something else that it hides."""
        rules = self._resolver.rules(binding.path)
        linking = self._resolver.linking(binding.path)
        if linking is not None:
            return linking.overridden(self._resolver, binding, member)
        if rules.static and rules.static in (binding.space, member.space) and binding.space != member.space:
            return not self._resolver.is_of_objects(member if binding.space == rules.static else binding)
        mine, its = (
            {"" if place.mention.key else place.mention.kind for place in self._resolver.binders(each)}
            for each in (binding, member)
        )
        # Where a member is set (``this.x = 1``), or a parameter as well, nothing says of which kind it is.
        return any(
            not one or not other or rules.meet(one, other)
            for one in mine - rules.hiding
            for other in its - rules.hiding
        )

    def holder(self, binding: Binding) -> Class | None:
        """The class whose member a name is, by the node of its scope."""
        root = self._resolver.lexical(binding.path).syntax.root
        node = root.descendant_for_byte_range(binding.scope[0], max(binding.scope[0], binding.scope[1] - 1))
        while node is not None and (node.start_byte, node.end_byte) != binding.scope:
            node = node.parent
        return None if node is None else Class(binding.path, node)


class _Graph:
    """Names and what is near them, to be asked from the other end: what leads to some of them.

    To keep for each link of a chain all that follow takes the square of its length.
    """

    def __init__(
        self,
        names: Iterable[Binding],
        near: Callable[[Binding], Iterable[Binding]],
        *,
        is_followed: bool,
    ) -> None:
        """Take names.

        Args:
            names: the names that are asked for.
            near: returns what a name leads to in one step.
            is_followed: True if further steps count as well.
        """
        self._names = {*names}
        self._is_followed = is_followed
        self._before: dict[Binding, list[Binding]] = {}
        waiting = [*self._names]
        seen = {*waiting}
        while waiting:
            name = waiting.pop()
            for each in near(name):
                self._before.setdefault(each, []).append(name)
                if is_followed and each not in seen:
                    seen.add(each)
                    waiting.append(each)

    def leading_to(self, goals: Iterable[Binding]) -> set[Binding]:
        """Return the names that lead to a goal, and those that are one if further steps count."""
        found = {*goals}
        waiting = [*found]
        if not self._is_followed:
            return {each for goal in found for each in self._before.get(goal, ())}
        while waiting:
            for each in self._before.get(waiting.pop(), ()):
                if each not in found:
                    found.add(each)
                    waiting.append(each)
        return found & self._names


def _all(first: Iterable[Binding], near: Callable[[Binding], Iterable[Binding]]) -> dict[Binding, None]:
    """All that is reached from some, each asked once: most of what is near is so in both directions."""
    found = dict.fromkeys(first)
    waiting = [*found]
    while waiting:
        for each in near(waiting.pop()):
            if each not in found:
                found[each] = None
                waiting.append(each)
    return found


class ChainDoubt(Enum):
    """Why a place of a family may not be that of one of its members, in words."""

    BESIDE = "it is another one, which has to be called alike"
    ABOVE = "it is what is overridden, and may lead to what overrides it"


class OverrideChain:
    """The line of some members of a family, as they are meant at a place."""

    def __init__(
        self, resolver: Resolver, family: OverrideSet, first: Iterable[Binding], place: Place | None
    ) -> None:
        self._resolver = resolver
        self._family = family
        self._first = frozenset(each for each in first if each.kind == "class")
        self._holder = self._holder_at(place) if place is not None and self._first else None

    def doubt(self, found: ResolvedOccurrence) -> ChainDoubt | None:
        """Why a place of the family is not certainly one of the first ones; None where it is."""
        meanings = (*found.meanings, *found.keys)
        ours = [each for each in meanings if isinstance(each, Binding) and each in self._family.members]
        if not self._first or not ours or any(each.kind != "class" for each in ours):
            return None
        lines = [(each, self._line(each)) for each in ours]
        if any(not self._first.isdisjoint(line) for _, line in lines):
            return self._held(found) if self._holder is not None else None
        above = any(each in self._line(one) for each in ours for one in self._first)
        return ChainDoubt.ABOVE if above and self._may_lead(found) else ChainDoubt.BESIDE

    def _may_lead(self, found: ResolvedOccurrence) -> bool:
        """Whether what has the member there may be of a class that overrides it with one of the first."""
        resolver = self._resolver
        receiver = resolver.dialect(found.path).receiver(found.mention)
        values = resolver.values(found.path, receiver)
        holders = [each.of for each in values if isinstance(each, Instance)]
        if not holders or len(holders) < len(values):
            return True
        return any(self._family.meets(one, each) for one in self._first for each in holders)

    def _holder_at(self, place: Place) -> object:
        return self._resolver.dialect(place.path).holder(self._resolver, *place)

    def _held(self, found: ResolvedOccurrence) -> ChainDoubt | None:
        """The same of what one base defines for several types."""
        holder = self._holder_at(Place(found.path, found.mention))
        if holder == self._holder:
            return None
        return ChainDoubt.ABOVE if holder is None else ChainDoubt.BESIDE

    def _line(self, binding: Binding) -> frozenset[Binding]:
        """A member, and all that it overrides; of an interface in Go, which nobody names, what has it."""
        resolver = self._resolver
        if resolver.rules(binding.path).overrides:
            return self._family.own(binding)
        twins = resolver.dialect_of(binding).twins
        return frozenset({binding, *resolver.once(("line", binding), lambda: twins(resolver, binding), ())})


_WHY = "an object of the one type is handed where the other is asked for"


class PassedMembers(NamedTuple):
    """What is handed where a class is asked for.

    Attributes:
        found: its members of one name, and why.
        more: why there may be others; nothing where there are none.
        outside: the paths and lines at which an object from outside of the tree is handed.
    """

    found: dict[Binding, str]
    more: str
    outside: frozenset[tuple[str, int]] = frozenset()


def find_structural_members(
    resolver: Resolver, family: OverrideSet, bindings: Iterable[Binding]
) -> dict[Binding, str]:
    """Return those of some names that meet the members of a family, also by way of each other, and why."""
    names = [*dict.fromkeys((*sorted(family.members), *bindings))]
    of_classes = [*filter(_is_of_class, names)]
    found = _met_members(resolver, family, of_classes)
    return found | _met_parameters(resolver, family, [each for each in names if each.kind == "function"])


def _met_members(resolver: Resolver, family: OverrideSet, names: list[Binding]) -> dict[Binding, str]:
    if family.members.isdisjoint(names):
        return {}
    meetings = StructuralMembers(resolver, names, family.holder)
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


def _met_parameters(resolver: Resolver, family: OverrideSet, names: list[Binding]) -> dict[Binding, str]:
    """Return the parameters whose methods meet those of the family's parameters."""
    mine = family.members.intersection(names)
    if not mine or family.members.issuperset(names):
        return {}
    methods = {each: resolver.dialect(each.path).method(resolver, each) for each in names}
    known = [each for each in dict.fromkeys(methods.values()) if each is not None]
    meetings = StructuralMembers(resolver, known, family.holder)
    found: dict[Binding, str] = {}
    for own in filter(None, map(methods.get, sorted(mine))):
        near = {**dict(meetings.possible(own)), **dict(meetings.of(own))}
        found |= {
            each: near[method]
            for each, method in methods.items()
            if each not in mine and method is not None and method.name == own.name and method in near
        }
    return found


class StructuralMembers:
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
        self._given: dict[Binding, PassedMembers] = {}

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

    def _handed(self, asked: Binding) -> PassedMembers:
        known = self._given.get(asked)
        if known is None:
            known = self._given[asked] = self._had(asked)
        return known

    def _had(self, asked: Binding) -> PassedMembers:
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
        return PassedMembers(found, more, frozenset(outside))


def _is_of_class(binding: Binding) -> bool:
    return binding.kind == "class" and binding.scope != WHOLE
