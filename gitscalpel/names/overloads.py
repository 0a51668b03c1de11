"""Overloads: methods of one name that are distinguished by their arguments.

The resolver follows overloads together. Here, the places that certainly mean another overload are left out.
The language decides which overload a call means, and which methods override each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from gitscalpel.names.class_hierarchy import hierarchy_of
from gitscalpel.names.entities import Binding, Class, Instance, Unknown
from gitscalpel.names.references import OVERLOADED, Reference, References
from gitscalpel.names.resolver import Place, ResolvedOccurrence, Resolver

_Spot = tuple[str, int]
"""A path, and the first byte of a name."""


def select_overloads(resolver: Resolver, addressed: Sequence[Place], references: References) -> References:
    """Return the references to the overloads in ``addressed``, out of the references to all overloads."""
    if not any(resolver.rules(each.path).overloads_apart for each in addressed):
        return references
    overloads = _Overloads(resolver, references)
    return references if overloads.count < 2 else overloads.select(addressed)


class _Overloads:
    """The methods of one name, in groups that override each other."""

    def __init__(self, resolver: Resolver, found: References) -> None:
        self._resolver, self._found = resolver, found
        defined = [each for each in found.places if each.kind == "definition" and self._is_selected(each)]
        self._methods = [Place(each.path, each.mention) for each in defined]
        self._classes = [self._class_of(each) for each in self._methods]
        self._above = [self._keys_above(each) for each in self._classes]
        self._dialects = [resolver.dialect(each.path) for each in self._methods]
        self._joined = [*range(len(self._methods))]
        self._join_groups()
        self._groups = {_spot_of(each): self._group_of(at) for at, each in enumerate(self._methods)}

    @property
    def count(self) -> int:
        return len(set(self._groups.values()))

    def select(self, addressed: Sequence[Place]) -> References:
        ours = {group for each in addressed for group in self._groups_at(each)}
        if not ours:
            return self._found
        narrowed = [(each, self._narrow_place(each, ours)) for each in self._found.places]
        places = [narrowed_place for _, narrowed_place in narrowed if narrowed_place is not None]
        imported = {each.path for each in places if each.certain and each.kind == "use"}
        split_paths = {
            each.path
            for each, narrowed_place in narrowed
            if each.kind == "use" and (narrowed_place is None or not narrowed_place.certain)
        }
        final = tuple(
            msgspec.structs.replace(each, form="both")
            if each.kind == "import"
            and each.certain
            and each.path in split_paths
            and self._is_split(each, ours)
            else each
            for each in places
            if each.kind != "import" or each.path in imported or not self._is_split(each, ours)
        )
        return msgspec.structs.replace(
            self._found,
            places=final,
            others=self._found.others + len(self._found.places) - len(final),
            overriding=tuple(self._overriding_places(ours)),
        )

    def _is_selected(self, each: Reference) -> bool:
        return each.certain or each.doubt is not None

    def _class_of(self, method: Place) -> Class:
        return Class(method.path, self._resolver.lexical(method.path).holder(method.mention).node)

    def _keys_above(self, of: Class) -> set[object]:
        return {each.key for each in self._resolver.ancestry(of) if isinstance(each, Class)}

    def _join_groups(self) -> None:
        by_class: dict[object, list[int]] = {}
        for at, of in enumerate(self._classes):
            by_class.setdefault(of.key, []).append(at)
        tops = []
        for at, of in enumerate(self._classes):
            above = [other for key in self._above[at] for other in by_class.get(key, ()) if other != at]
            ours = [other for other in above if self._are_alike(at, other)]
            for other in ours:
                self._unite(at, other)
            if all(self._classes[other].key == of.key for other in ours):
                tops.append(at)
        for number, at in enumerate(tops):
            for other in tops[:number]:
                is_apart = self._group_of(at) != self._group_of(other)
                if is_apart and self._are_alike(at, other) and self._may_share(at, other):
                    self._unite(at, other)

    def _group_of(self, at: int) -> int:
        """Return the group of a method, by the index of its first method."""
        while self._joined[at] != at:
            self._joined[at] = at = self._joined[self._joined[at]]
        return at

    def _unite(self, at: int, other: int) -> None:
        self._joined[self._group_of(at)] = self._group_of(other)

    def _are_alike(self, at: int, other: int) -> bool:
        """Return True if two methods may have the same parameters; in one class, if they certainly do."""
        one, two = self._methods[at], self._methods[other]
        exactly = self._classes[at].key == self._classes[other].key
        return self._dialects[at].may_override(self._resolver, one, two, exactly=exactly)

    def _may_share(self, at: int, other: int) -> bool:
        one, two = self._classes[at], self._classes[other]
        above = (*self._resolver.ancestry(one), *self._resolver.ancestry(two))
        return any(isinstance(each, Unknown) for each in above) or hierarchy_of(
            self._resolver
        ).has_common_subclass(one, two)

    def _groups_at(self, place: Place) -> set[int]:
        own = self._groups.get(_spot_of(place))
        if own is not None:
            return {own}
        each = next((e for e in self._found.places if (e.path, e.mention.start) == _spot_of(place)), None)
        return set() if each is None else self._find_groups(each)

    def _find_groups(self, each: Reference) -> set[int]:
        place = Place(each.path, each.mention)
        visible = self._visible_methods(each)
        if each.mention.kind not in self._resolver.rules(each.path).overloads | {"import"}:
            visible = [candidate for candidate in visible if candidate.mention.kind == "component"] or visible
        return {
            self._groups[_spot_of(method)]
            for method in self._resolver.dialect(each.path).choose_overloads(self._resolver, place, visible)
        }

    def _visible_methods(self, each: Reference) -> list[Place]:
        """Return the methods that the receiver of a name, or the classes around it, may have."""
        family = self._found.family
        members = [
            binding
            for binding in each.found.meanings
            if isinstance(binding, Binding) and binding in family.members
        ]
        origins = [origin for binding in members for origin in self._origins(binding)]
        holders = [self._resolver.class_of_member(binding) for binding in origins if binding.kind == "class"]
        classes = [of for of in holders if of is not None]
        keys = {
            key
            for of in (*classes, *self._receiver_classes(each.found, classes))
            for key in self._keys_above(of)
        }
        visible = [
            method
            for method, of in zip(self._methods, self._classes, strict=True)
            if of.key in keys or method.mention.kind == "component"
        ]
        return visible or self._methods

    def _origins(self, binding: Binding) -> Iterator[Binding]:
        """Yield a binding; for an imported one, the member of the class that it comes from."""
        for place in self._resolver.binders(binding) if binding.kind != "class" else ():
            origins = self._resolver.dialect(place.path).resolve_origin(
                self._resolver, place.path, place.mention
            )
            yield from (each for each in origins if isinstance(each, Binding))
        yield binding

    def _receiver_classes(self, occurrence: ResolvedOccurrence, holders: Sequence[Class]) -> Iterator[Class]:
        """Yield the classes in which a name is looked up."""
        resolver, mention = self._resolver, occurrence.mention
        receiver = resolver.dialect(occurrence.path).receiver(mention) if mention.role == "member" else None
        values = resolver.values(occurrence.path, receiver)
        for value in values:
            of = value.of if isinstance(value, Instance) else value
            if isinstance(of, Class):
                yield of
        if mention.role == "use":
            above = {each.key for each in holders}
            for scope in mention.scopes:
                around = Class(occurrence.path, scope.node)
                if scope.kind == "class" and not above.isdisjoint(self._keys_above(around)):
                    yield around
                    return

    def _narrow_place(self, each: Reference, ours: set[int]) -> Reference | None:
        """Return a place as a reference of some groups; None if it belongs to others."""
        if each.kind == "text" or not self._is_selected(each) or each.kind == "import":
            return each
        own = self._groups.get((each.path, each.mention.start))
        groups = self._find_groups(each) if own is None else {own}
        if groups and groups <= ours:
            return each
        return None if groups and groups.isdisjoint(ours) else _mark_unsure(each)

    def _is_split(self, each: Reference, ours: set[int]) -> bool:
        """Return True if an import brings other overloads as well."""
        return not {self._groups[_spot_of(method)] for method in self._visible_methods(each)} <= ours

    def _overriding_places(self, ours: set[int]) -> Iterator[Place]:
        for at, method in enumerate(self._methods):
            group = self._groups[_spot_of(method)]
            if group not in ours or not self._resolver.dialect(method.path).overrides(self._resolver, method):
                continue
            above = (
                other
                for other, of in zip(self._methods, self._classes, strict=True)
                if self._groups[_spot_of(other)] == group and other != method and of.key in self._above[at]
            )
            if not any(above):
                yield method


def _mark_unsure(each: Reference) -> Reference:
    return msgspec.structs.replace(each, certain=False, why=OVERLOADED)


def _spot_of(place: Place) -> _Spot:
    return place.path, place.mention.start
