"""Bindings that must have one name: imports, overrides, and members that one class inherits.

Two types that implement one interface have to use its names, but a method of one is not a method of the
other. Structural types also join two members if an object of one type is passed where the other is expected.
Such members are only reported, since the caller may not want to keep that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import cache
from typing import NamedTuple

from gitscalpel.changesets.answers import quote_path
from gitscalpel.names import class_hierarchy
from gitscalpel.names.entities import OUTSIDE, WHOLE, Binding, Class, Elsewhere, Instance, Unknown, Value
from gitscalpel.names.resolver import Place, ResolvedOccurrence, Resolver, find_reachable

_ROOTS, _LINKS = "roots", "links"


class OverrideSet:
    """Bindings that must have the same name as those in ``first``.

    Attributes:
        apart: True if an import or export may keep its name with an alias (``as``), so that the set contains
            neither the origin nor the re-exports of ``first``.
        akin: bindings that may be the same, with the reason.
        outside: paths and lines at which an object from outside the tree that must have the name is passed.
    """

    def __init__(self, resolver: Resolver, first: Iterable[Binding], *, apart: bool = False) -> None:
        self._resolver = resolver
        self.apart = apart
        self.members: set[Binding] = set()
        self.akin: dict[Binding, str] = {}
        self.outside: set[tuple[str, int]] = set()
        self._hierarchy = class_hierarchy.hierarchy_of(resolver)
        for binding in first:
            self.members |= self.find_own(binding) if apart else self.roots(binding)

    @property
    def inherited_outside(self) -> set[str]:
        """Return the files with a member that a base from outside the tree may also define."""
        return {each.path for each in self.members if self._is_open(each)}

    @property
    def overriding(self) -> Iterator[Place]:
        """Yield the definitions of members that certainly override a member from outside the tree."""
        for member in sorted(each for each in self.members if each.kind == "class"):
            dialect = self._resolver.dialect_of(member)
            for place in self._resolver.binders(member):
                if dialect.overrides(self._resolver, place) and not self._is_inherited(member):
                    yield place

    def _is_inherited(self, member: Binding) -> bool:
        """Return True if a base has the member too, other than a declaration merged with its own."""
        return any(
            each != member and member not in self._base_members(each) for each in self._base_members(member)
        )

    @property
    def function_names(self) -> frozenset[str]:
        """Return the names of the functions and classes whose parameters are members."""
        key = ("takes", *sorted(self.members))
        return frozenset(self._resolver.compute_once(key, self._iter_function_names, ()))

    def _iter_function_names(self) -> Iterator[str]:
        for member in self.members:
            if member.kind in ("function", "block") and any(
                map(self._is_keyword, self._resolver.binders(member))
            ):
                yield from self._callable_names(member)

    def _is_keyword(self, place: Place) -> bool:
        types, above = self._resolver.rules(place.path).keyworded, place.mention.node.parent
        is_one = not types or (above is not None and above.type in types)
        return place.mention.kind == "parameter" and is_one

    def _callable_names(self, parameter: Binding) -> Iterator[str]:
        function = self._resolver.class_of_member(parameter)
        node = None if function is None else function.node
        while node is not None:
            name = node.child_by_field_name("name")
            text = self._resolver.lexical(parameter.path).text
            name_text = b"" if name is None else text[name.start_byte : name.end_byte]
            if name_text:
                yield name_text.decode("utf-8", "surrogateescape")
            if name_text and not name_text.startswith(b"__"):
                return
            node = node.parent
        yield ""  # it has no name of its own

    def grow(self, bindings: Iterable[Binding]) -> None:
        names = [*dict.fromkeys(bindings)]
        graph = _Graph(names, self._member_links if self.apart else self.links, is_followed=not self.apart)
        while True:
            new = self._same_named(graph.find_leading_to(self.members)) - self.members
            new = new or self._same_named(self._joined_by_class(names))
            if not new:
                break
            self.members |= new
        related = {each for member in self.members for each in self._find_related(member)}
        related |= graph.find_leading_to(related)
        self.akin = dict.fromkeys(related, "it may be another one, as nothing joins their declarations")

    def _same_named(self, bindings: Iterable[Binding]) -> set[Binding]:
        if self.apart:
            return {each for binding in bindings for each in self._own_with_sibling(binding)}
        return {*find_reachable(bindings, self.links)}

    def _joined_by_class(self, bindings: Iterable[Binding]) -> Iterator[Binding]:
        """Yield the bindings that some class inherits next to a member, under the same name."""
        for each in sorted(binding for binding in bindings if self._is_fulfilling(binding)):
            own_members = [member for member in self.members if self._is_fulfilling(member)]
            if each not in self.members and any(self.share(member, each) for member in own_members):
                yield each

    def may_have_class(self, member: Binding, of: Class) -> bool:
        """Return True if an object of class ``of`` or its subclasses may be of a member's class."""
        own = self._resolver.class_of_member(member)
        above = self._resolver.ancestry(own) if own is not None else ()
        is_clear = own is not None and not any(isinstance(each, Unknown) for each in above)
        return not is_clear or own is None or self._hierarchy.may_overlap(of, own)

    def _is_fulfilling(self, binding: Binding) -> bool:
        return binding.kind == "class" and self._resolver.rules(binding.path).fulfils

    def share(self, member: Binding, other: Binding) -> bool:
        """Return True if some class has both members under one name, though neither overrides the other."""
        if not self._is_overridden(member, other) and not self._is_overridden(other, member):
            return False
        one, two = self._resolver.class_of_member(member), self._resolver.class_of_member(other)
        return one is not None and two is not None and self._hierarchy.has_common_subclass(one, two)

    def _find_related(self, binding: Binding) -> Iterator[Binding]:
        if binding.scope == WHOLE:
            return
        linking = self._resolver.linked_language(binding.path)
        for each in linking.find_related(self._resolver, binding) if linking is not None else ():
            yield from self.roots(each)

    def _member_links(self, binding: Binding) -> frozenset[Binding]:
        """Return the members that a binding means; for an import, those that it brings."""
        return self.find_own(binding) | frozenset(self._import_origins(binding, ("import", "passed")))

    def _own_with_sibling(self, binding: Binding) -> frozenset[Binding]:
        """Return a binding's own set, and the type or value of the same name that the same import brings."""
        scopes = {(each.path, each.scope) for each in self.members}
        origins = [*self._import_origins(binding, ("import", "passed"))]
        siblings = [each for each in origins if (each.path, each.scope) in scopes] if len(origins) > 1 else []
        return self.find_own(binding).union(*map(self.find_own, siblings))

    def find_own(self, binding: Binding) -> frozenset[Binding]:
        """Return a binding's redeclarations and overridden members, but not the origins of imports."""
        key = ("own", binding)
        return frozenset(
            self._resolver.compute_once(
                key, lambda: find_reachable([binding], self._redeclared_or_overridden), (binding,)
            )
        )

    def roots(self, binding: Binding) -> frozenset[Binding]:
        """Return the bindings that are the same, and those that they are imported from."""
        key = (_ROOTS, binding)
        return frozenset(
            self._resolver.compute_once(key, lambda: find_reachable([binding], self.links), (binding,))
        )

    def links(self, binding: Binding) -> tuple[Binding, ...]:
        """Return the bindings that are the same as a binding in one step."""
        known: tuple[Binding, ...] | None = self._resolver.get((_LINKS, binding))  # type: ignore[assignment]
        if known is None:
            before = self._resolver.cuts
            known = (
                *self._redeclared_or_overridden(binding),
                *self._import_origins(binding, ("import", "export", "passed")),
            )
            if self._resolver.cuts == before:
                self._resolver.put((_LINKS, binding), known)
        return known

    def _redeclared_or_overridden(self, binding: Binding) -> Iterator[Binding]:
        yield from self._resolver.dialect_of(binding).find_redeclarations(self._resolver, binding)
        if binding.kind == "class" and self._resolver.rules(binding.path).overrides:
            yield from self._base_members(binding)

    def _import_origins(self, binding: Binding, kinds: tuple[str, ...]) -> Iterator[Binding]:
        if binding.scope == WHOLE:
            return
        for place in self._resolver.binders(binding):
            if place.mention.kind in kinds:
                for meaning in self._resolver.dialect(place.path).resolve_origin(
                    self._resolver, place.path, place.mention
                ):
                    if isinstance(meaning, Binding) and meaning.name == binding.name:
                        yield meaning

    def _base_members(self, binding: Binding) -> Iterator[Binding]:
        for base in self._bases_of(binding):
            if isinstance(base, Class):
                for member in self._resolver.own_members(base, binding.name):
                    if self._is_overridden(binding, member):
                        yield member

    def _bases_of(self, binding: Binding) -> tuple[Value, ...]:
        own = self._resolver.class_of_member(binding)
        return self._resolver.ancestry(own)[1:] if own else ()

    def _is_open(self, binding: Binding) -> bool:
        if self._resolver.dialect_of(binding).is_open(self._resolver, binding):
            return True
        if binding.kind != "class" or not self._resolver.rules(binding.path).overrides:
            return False
        outside = (each for each in self._bases_of(binding) if isinstance(each, (Elsewhere, Unknown)))
        return any(each != Elsewhere("builtins") for each in outside)

    def _is_overridden(self, binding: Binding, member: Binding) -> bool:
        """Return True if a member overrides a binding, and does not just hide it."""
        rules = self._resolver.rules(binding.path)
        linking = self._resolver.linked_language(binding.path)
        if linking is not None:
            return linking.is_override_of(self._resolver, binding, member)
        if rules.static and rules.static in (binding.space, member.space) and binding.space != member.space:
            return not self._resolver.is_instance_member(member if binding.space == rules.static else binding)
        own_kinds, base_kinds = (
            {"" if place.mention.key else place.mention.kind for place in self._resolver.binders(each)}
            for each in (binding, member)
        )
        # Where a member is set (``this.x = 1``), or a parameter as well, nothing says of which kind it is.
        return any(
            not own_kind or not base_kind or rules.meet(own_kind, base_kind)
            for own_kind in own_kinds - rules.hiding
            for base_kind in base_kinds - rules.hiding
        )


class _Graph:
    """Names and their neighbours, one step on by ``near``, searched backwards from goals.

    Caching all that follow for each link of a chain would take the square of its length.
    """

    def __init__(
        self,
        names: Iterable[Binding],
        near: Callable[[Binding], Iterable[Binding]],
        *,
        is_followed: bool,
    ) -> None:
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

    def find_leading_to(self, goals: Iterable[Binding]) -> set[Binding]:
        """Return the names that lead to a goal, and the goals themselves if further steps count."""
        leading = {*goals}
        waiting = [*leading]
        if not self._is_followed:
            return {each for goal in leading for each in self._before.get(goal, ())}
        while waiting:
            for each in self._before.get(waiting.pop(), ()):
                if each not in leading:
                    leading.add(each)
                    waiting.append(each)
        return leading & self._names


class ChainDoubt(Enum):
    """Why a place of an override set may not belong to one chain of it."""

    BESIDE = "it is another one, which has to be called alike"
    ABOVE = "it is what is overridden, and may lead to what overrides it"


class OverrideChain:
    """Chain of overrides that a place belongs to, within an override set."""

    def __init__(
        self, resolver: Resolver, family: OverrideSet, first: Iterable[Binding], place: Place | None
    ) -> None:
        self._resolver = resolver
        self._family = family
        self._first = frozenset(each for each in first if each.kind == "class")
        self._holder = self._holder_at(place) if place is not None and self._first else None

    def doubt_at(self, found: ResolvedOccurrence) -> ChainDoubt | None:
        """Return the reason why an occurrence may not belong to this chain. None if there is no doubt."""
        meanings = (*found.meanings, *found.keys)
        ours = [each for each in meanings if isinstance(each, Binding) and each in self._family.members]
        if not self._first or not ours or any(each.kind != "class" for each in ours):
            return None
        chains = [(each, self._chain_of(each)) for each in ours]
        if any(not self._first.isdisjoint(chain) for _, chain in chains):
            return self._doubt_of_type(found) if self._holder is not None else None
        above = any(each in self._chain_of(first) for each in ours for first in self._first)
        return ChainDoubt.ABOVE if above and self._may_dispatch(found) else ChainDoubt.BESIDE

    def _may_dispatch(self, found: ResolvedOccurrence) -> bool:
        """Return True if the receiver may be of a class that overrides one of the first members."""
        resolver = self._resolver
        receiver = resolver.dialect(found.path).receiver(found.mention)
        values = resolver.values(found.path, receiver)
        holders = [each.of for each in values if isinstance(each, Instance)]
        if not holders or len(holders) < len(values):
            return True
        return any(self._family.may_have_class(one, each) for one in self._first for each in holders)

    def _holder_at(self, place: Place) -> object:
        return self._resolver.dialect(place.path).holder(self._resolver, *place)

    def _doubt_of_type(self, found: ResolvedOccurrence) -> ChainDoubt | None:
        """Return the doubt about a member that one base defines for several types."""
        holder = self._holder_at(Place(found.path, found.mention))
        if holder == self._holder:
            return None
        return ChainDoubt.ABOVE if holder is None else ChainDoubt.BESIDE

    def _chain_of(self, binding: Binding) -> frozenset[Binding]:
        """Return a member and all that it overrides; for a Go interface, the members that implement it."""
        resolver = self._resolver
        if resolver.rules(binding.path).overrides:
            return self._family.find_own(binding)
        twins = resolver.dialect_of(binding).find_redeclarations
        return frozenset(
            {binding, *resolver.compute_once(("line", binding), lambda: twins(resolver, binding), ())}
        )


_PASSED_REASON = "an object of the one type is handed where the other is asked for"


class PassedMembers(NamedTuple):
    """Members of one name, of the values that are passed where a class is expected."""

    found: dict[Binding, str]  # the members, with the reason
    more: str  # why there may be other values; empty if there are none
    outside: frozenset[tuple[str, int]] = frozenset()  # path and line where an object from outside is passed


def find_structural_members(
    resolver: Resolver, family: OverrideSet, bindings: Iterable[Binding]
) -> dict[Binding, str]:
    """Return the names that structural types join with the members of a set, also indirectly, and why."""
    names = [*dict.fromkeys((*sorted(family.members), *bindings))]
    joined = _joined_members(resolver, family, [e for e in names if e.kind == "class" and e.scope != WHOLE])
    return joined | _joined_parameters(resolver, family, [each for each in names if each.kind == "function"])


def _joined_members(resolver: Resolver, family: OverrideSet, names: list[Binding]) -> dict[Binding, str]:
    if family.members.isdisjoint(names):
        return {}
    meetings = StructuralMembers(resolver, names)
    for member in sorted(family.members.intersection(names)):
        family.outside |= meetings.outside(member)
    if family.members.issuperset(names):
        return {}
    joined: dict[Binding, str] = {}
    waiting = [each for each in names if each in family.members]
    while waiting:
        for binding, why in meetings.joined_with(waiting.pop()):
            same = family.roots(binding) | {each for each in names if binding in family.roots(each)}
            new = same - family.members - joined.keys()
            joined |= dict.fromkeys(new, why)
            waiting += sorted(new)
    for binding in sorted(family.members):
        for other, why in meetings.possible(binding):
            if other not in family.members:
                joined.setdefault(other, why)
    return joined


def _joined_parameters(resolver: Resolver, family: OverrideSet, names: list[Binding]) -> dict[Binding, str]:
    own_parameters = family.members.intersection(names)
    if not own_parameters or family.members.issuperset(names):
        return {}
    methods = {each: resolver.dialect(each.path).method(resolver, each) for each in names}
    known = [each for each in dict.fromkeys(methods.values()) if each is not None]
    meetings = StructuralMembers(resolver, known)
    joined: dict[Binding, str] = {}
    for own in filter(None, map(methods.get, sorted(own_parameters))):
        joined_methods = {**dict(meetings.possible(own)), **dict(meetings.joined_with(own))}
        joined |= {
            each: joined_methods[method]
            for each, method in methods.items()
            if each not in own_parameters
            and method is not None
            and method.name == own.name
            and method in joined_methods
        }
    return joined


class StructuralMembers:
    """Members of one name that structural types join."""

    def __init__(self, resolver: Resolver, names: list[Binding]) -> None:
        self._resolver = resolver
        self._names = names
        self._class_of = cache(resolver.class_of_member)
        self._structural = {
            each for each in names if resolver.dialect(each.path).is_structural(resolver, each)
        }
        self._passed: dict[Binding, PassedMembers] = {}

    def joined_with(self, member: Binding) -> Iterator[tuple[Binding, str]]:
        if any(self._fits(other, member) for other in self._names):
            yield from self._passed_to(member).found.items()
        for other in self._names:
            why = self._passed_to(other).found.get(member) if self._fits(member, other) else None
            yield from () if why is None else ((other, why),)

    def outside(self, member: Binding) -> frozenset[tuple[str, int]]:
        """Return the places that pass an object from outside the tree that must have a member."""
        return self._passed_to(member).outside if member in self._structural else frozenset()

    def possible(self, member: Binding) -> Iterator[tuple[Binding, str]]:
        """Yield the members that may be joined with a member, and why that cannot be determined."""
        for other in self._names:
            for passed, expected in ((member, other), (other, member)):
                why = self._passed_to(expected).more if self._fits(passed, expected) else ""
                yield from ((other, why),) if why else ()

    def _fits(self, passed: Binding, expected: Binding) -> bool:
        resolver = self._resolver
        if passed == expected or expected not in self._structural:
            return False
        if resolver.rules(passed.path) is not resolver.rules(expected.path):
            return False
        one, other = self._class_of(passed), self._class_of(expected)
        if one is None or other is None:
            return False
        return resolver.dialect(expected.path).fits_structurally(resolver, one, other)

    def _passed_to(self, expected: Binding) -> PassedMembers:
        known = self._passed.get(expected)
        if known is None:
            known = self._passed[expected] = self._find_passed(expected)
        return known

    def _find_passed(self, expected: Binding) -> PassedMembers:
        resolver = self._resolver
        members, more = dict[Binding, str](), ""
        outside = set[tuple[str, int]]()
        holder = self._class_of(expected)
        for each in (
            resolver.dialect(expected.path).find_passed_values(resolver, holder) if holder is not None else ()
        ):
            spot = f"{quote_path(each.path)}:{resolver.line(each.path, each.start)}"
            if isinstance(each.value, Unknown):
                more = each.value.why
                continue
            if each.value == OUTSIDE:
                outside.add((each.path, resolver.line(each.path, each.start)))
                continue
            for member in resolver.members(each.value, expected.name):
                if isinstance(member, Binding) and member != expected:
                    members.setdefault(member, f"{_PASSED_REASON} ({spot})")
        return PassedMembers(members, more, frozenset(outside))
