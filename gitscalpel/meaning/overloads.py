"""Overloads: methods of one name that are told apart by what is handed to them.

They are followed together, as a name alone does not tell them apart. Then those places are left out that
certainly mean another overload. The language says which overload a call means, and which methods override
each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from gitscalpel.meaning.found import Found
from gitscalpel.meaning.heirs import known
from gitscalpel.meaning.references import OVERLOADED, Reference, References
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding, Class, Instance, Unknown

_Spot = tuple[str, int]
"""A path, and the first byte of a name."""


def narrow(resolver: Resolver, addressed: Sequence[Place], found: References) -> References:
    """Return the places of the overloads that some places mean.

    Args:
        resolver: of the tree.
        addressed: definitions, or uses, of overloads.
        found: the places of all overloads of the name.
    """
    if not any(resolver.rules(each.path).overloads_apart for each in addressed):
        return found
    overloads = _Overloads(resolver, found)
    return found if overloads.count < 2 else overloads.only(addressed)


class _Overloads:
    """The methods of one name, in groups that override each other.

    Args:
        resolver: of the tree.
        found: their places.
    """

    def __init__(self, resolver: Resolver, found: References) -> None:
        self._resolver, self._found = resolver, found
        defined = [each for each in found.places if each.kind == "definition" and self._is_meant(each)]
        self._methods = [Place(each.path, each.mention) for each in defined]
        self._classes = [self._class_of(each) for each in self._methods]
        self._above = [self._keys_above(each) for each in self._classes]
        self._groups = {_spot(each): at for at, each in enumerate(self._methods)}
        self._join()

    @property
    def count(self) -> int:
        """The number of groups."""
        return len(set(self._groups.values()))

    def only(self, addressed: Sequence[Place]) -> References:
        """Return the places of the groups that some places mean."""
        ours = {group for each in addressed for group in self._meant(each)}
        if not ours:
            return self._found
        kept = [(each, self._narrowed(each, ours)) for each in self._found.places]
        places = [now for _, now in kept if now is not None]
        imported = {each.path for each in places if each.certain and each.kind == "use"}
        left = {each.path for each, now in kept if each.kind == "use" and (now is None or not now.certain)}
        final = tuple(
            msgspec.structs.replace(each, form="both")
            if each.kind == "import" and each.certain and each.path in left and self._is_split(each, ours)
            else each
            for each in places
            if each.kind != "import" or each.path in imported or not self._is_split(each, ours)
        )
        return msgspec.structs.replace(
            self._found,
            places=final,
            others=self._found.others + len(self._found.places) - len(final),
            overriding=tuple(self._overriding(ours)),
        )

    def _is_meant(self, each: Reference) -> bool:
        return each.certain or each.doubt is not None

    def _class_of(self, method: Place) -> Class:
        return Class(method.path, self._resolver.lexical(method.path).holder(method.mention).node)

    def _keys_above(self, of: Class) -> set[object]:
        """Return a class and what it inherits from, as keys."""
        return {_key(each) for each in self._resolver.ancestry(of) if isinstance(each, Class)}

    def _join(self) -> None:
        """Put those methods into one group that may override each other."""
        for at, one in enumerate(self._methods):
            for before, other in enumerate(self._methods[:at]):
                if self._are_one(at, before):
                    old, new = self._groups[_spot(one)], self._groups[_spot(other)]
                    self._groups = {spot: new if of == old else of for spot, of in self._groups.items()}

    def _are_one(self, at: int, before: int) -> bool:
        """Return True if one of two methods may override the other, or they are the same."""
        resolver, one, other = self._resolver, self._methods[at], self._methods[before]
        mine, its = self._classes[at], self._classes[before]
        is_own = _key(mine) == _key(its)
        is_related = is_own or _key(mine) in self._above[before] or _key(its) in self._above[at]
        if not is_related:
            above = (*resolver.ancestry(mine), *resolver.ancestry(its))
            is_open = any(isinstance(each, Unknown) for each in above)
            is_related = is_open or known(resolver).share(mine, its)
        return is_related and resolver.dialect(one.path).may_override(resolver, one, other, exactly=is_own)

    def _meant(self, place: Place) -> set[int]:
        """Return the groups that a place may mean."""
        own = self._groups.get(_spot(place))
        if own is not None:
            return {own}
        each = next((e for e in self._found.places if (e.path, e.mention.start) == _spot(place)), None)
        return set() if each is None else self._called(each)

    def _called(self, each: Reference) -> set[int]:
        """Return the groups that a use may mean; none if nothing fits."""
        place = Place(each.path, each.mention)
        seen = self._seen(each)
        if each.mention.kind not in self._resolver.rules(each.path).overloads | {"import"}:
            seen = [one for one in seen if one.mention.kind == "component"] or seen
        return {
            self._groups[_spot(method)]
            for method in self._resolver.dialect(each.path).called_overloads(self._resolver, place, seen)
        }

    def _seen(self, each: Reference) -> list[Place]:
        """Return the methods that the value before a name, or the classes around it, may have."""
        family = self._found.family
        meant = [one for one in each.found.meanings if isinstance(one, Binding) and one in family.members]
        whole = [origin for one in meant for origin in self._origins(one)]
        holders = [family.holder(one) for one in whole if one.kind == "class"]
        known_ = [one for one in holders if one is not None]
        keys = {key for one in (*known_, *self._had_by(each.found, known_)) for key in self._keys_above(one)}
        found = [
            method
            for method, of in zip(self._methods, self._classes, strict=True)
            if _key(of) in keys or method.mention.kind == "component"
        ]
        return found or self._methods

    def _origins(self, binding: Binding) -> Iterator[Binding]:
        """Yield a name; of what a file imports, what that is in its class."""
        for place in self._resolver.binders(binding) if binding.kind != "class" else ():
            brought = self._resolver.dialect(place.path).brings(self._resolver, place.path, place.mention)
            yield from (each for each in brought if isinstance(each, Binding))
        yield binding

    def _had_by(self, found: Found, holders: Sequence[Class]) -> Iterator[Class]:
        """Yield the classes whose objects a name is looked up in, which may have more than one base."""
        resolver, mention = self._resolver, found.mention
        receiver = resolver.dialect(found.path).receiver(mention) if mention.role == "member" else None
        values = resolver.values(found.path, receiver) if receiver is not None else ()
        for value in values:
            of = value.of if isinstance(value, Instance) else value
            if isinstance(of, Class):
                yield of
        if mention.role == "use":
            above = {_key(each) for each in holders}
            for scope in mention.scopes:
                around = Class(found.path, scope.node)
                if scope.kind == "class" and not above.isdisjoint(self._keys_above(around)):
                    yield around
                    return

    def _narrowed(self, each: Reference, ours: set[int]) -> Reference | None:
        """Return a place as it is of some groups; None if it is of others."""
        if each.kind == "text" or not self._is_meant(each) or each.kind == "import":
            return each
        own = self._groups.get((each.path, each.mention.start))
        groups = self._called(each) if own is None else {own}
        if groups and groups <= ours:
            return each
        return None if groups and groups.isdisjoint(ours) else _doubted(each)

    def _is_split(self, each: Reference, ours: set[int]) -> bool:
        """Return True if an import brings other overloads as well."""
        return not {self._groups[_spot(one)] for one in self._seen(each)} <= ours

    def _overriding(self, ours: set[int]) -> Iterator[Place]:
        """Yield the methods of some groups that override what no class of the tree has."""
        for at, method in enumerate(self._methods):
            group = self._groups[_spot(method)]
            if group not in ours or not self._resolver.dialect(method.path).overrides(self._resolver, method):
                continue
            above = (
                one
                for one, of in zip(self._methods, self._classes, strict=True)
                if self._groups[_spot(one)] == group and one != method and _key(of) in self._above[at]
            )
            if not any(above):
                yield method


def _doubted(each: Reference) -> Reference:
    return msgspec.structs.replace(each, certain=False, why=OVERLOADED)


def _spot(place: Place) -> _Spot:
    return place.path, place.mention.start


def _key(of: Class) -> object:
    return of.path, of.scope
