"""The names that are one: what an import brings under the same name, and what a class overrides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from gitscalpel.meaning import heirs
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import WHOLE, Binding, Class, Elsewhere, Unknown, Value

_ROOTS, _LINKS = "roots", "links"


def know(resolver: Resolver, links: Mapping[Binding, tuple[Binding, ...]]) -> None:
    """Take what another process has found out of some names: what is one with each in one step."""
    for binding, found in links.items():
        resolver.know((_LINKS, binding), found)


class Family:
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
        self._heirs = heirs.known(resolver)
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
