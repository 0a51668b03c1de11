"""A method that overrides may leave its class, if nothing that calls it may mean another class's.

Whoever has an object of a class and calls the base's method gets what overrides it: so every call has to be
certainly this method's, or certainly another's. What overrides it in turn keeps it where it is.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning import told as telling
from gitscalpel.meaning.lineage import Doubt
from gitscalpel.meaning.python import parameters, words
from gitscalpel.meaning.references import Reference, References
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding, Class

_ABSTRACT = frozenset({"abstractmethod", "abstractclassmethod", "abstractstaticmethod", "abstractproperty"})


def apart(resolver: Resolver, found: References, own: Binding) -> References:
    """The places of a method that may leave its class, without the definitions that it overrides.

    Raises:
        DoesNotFit: ``kind_mismatch``: it is overridden, or may be meant where a base's method is called.
    """
    family = found.family
    others = family.members - {own}
    if not others:
        return found
    for other in sorted(others):
        if own in family.own(other) or family.share(own, other):
            raise DoesNotFit(
                "kind_mismatch",
                f"{own.name} of {own.path} is overridden, or has to be called like another one",
                "callers would no longer get the right one",
            )
    for each in found.unsure:
        if each.kind != "definition" and each.doubt is not Doubt.BESIDE:
            where = f"{each.path}:{resolver.line(each.path, each.mention.start)}"
            raise DoesNotFit(
                "kind_mismatch",
                f"{own.name} of {own.path} overrides, and may be what is called in {where}",
                "callers would no longer get the right one",
            )
    places = (_as_another(each) for each in found.places if each.certain or each.kind != "definition")
    return msgspec.structs.replace(found, places=tuple(places))


def refuse_abstract(resolver: Resolver, of: Class, name: str) -> None:
    """Refuse where the class would be left with one that is but asked for: nobody could make an object of it.

    Raises:
        DoesNotFit: ``kind_mismatch``.
    """
    for path, mention in _next(resolver, of, name):
        node = mention.node.parent
        said = parameters.decorators(node) if node is not None else ()
        if any(words.last(resolver, path, each) in _ABSTRACT for each in said):
            where = f"{path}:{resolver.line(path, mention.start)}"
            raise DoesNotFit(
                "kind_mismatch",
                f"{name} of {of.path} is what {where} asks for",
                "let its class keep a method that calls the function",
            )


def told(resolver: Resolver, of: Class, name: str) -> Iterator[str]:
    """Where the method stands that a class has once its own one has left it."""
    word = of.node.child_by_field_name("name")
    owner = b"" if word is None or word.text is None else word.text
    for path, mention in _next(resolver, of, name):
        spot = telling.spots(path, [resolver.line(path, mention.start)])
        yield f"{spot}: {owner.decode('utf-8', 'surrogateescape')} has this {name} from then on"


def _next(resolver: Resolver, of: Class, name: str) -> tuple[Place, ...]:
    """Where the nearest base that has a member defines it."""
    for base in resolver.ancestry(of)[1:]:
        members = resolver.own_members(base, name) if isinstance(base, Class) else ()
        if members:
            return tuple(place for member in members for place in resolver.binders(member))
    return ()


def _as_another(place: Reference) -> Reference:
    is_another = not place.certain and place.doubt is Doubt.BESIDE
    return msgspec.structs.replace(place, why="it is that of another class") if is_another else place
