"""Names that a language has itself (``bool`` in Rust, ``len`` in Go): nothing defines them, all are one."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.meaning.family import Family
from gitscalpel.meaning.found import Near
from gitscalpel.meaning.references import Reference, References
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Elsewhere, Unknown

_LANGUAGE = Elsewhere("the language")


def references(resolver: Resolver, place: Place) -> References | None:
    """The places of such a name; None: it is none."""
    if not _is_own(resolver, place):
        return None
    name, language = place.mention.name, resolver.lexical(place.path).syntax.language
    places, others = list[Reference](), 0
    for each in _mentioned(resolver, name):
        syntax = resolver.lexical(each.path).syntax
        found = _judged(resolver, each) if syntax.language == language else None
        places += [found] if found is not None else []
        others += found is None
    return References(name, Family(resolver, ()), tuple(places), others, dict(resolver.files.unread))


def _is_own(resolver: Resolver, place: Place) -> bool:
    """Whether a name that stands alone is the language's: what a value of it has may be one of many."""
    return place.mention.role == "use" and resolver.meanings(*place) == (_LANGUAGE,)


def _mentioned(resolver: Resolver, name: str) -> Iterator[Place]:
    for path in resolver.files.holding(name):
        lexical = resolver.files.lexical(path)
        yield from (Place(path, mention) for mention in (lexical.of(name) if lexical is not None else ()))


def _judged(resolver: Resolver, place: Place) -> Reference | None:
    path, mention = place
    found = Near(resolver, path, mention)
    if mention.role in ("comment", "string", "text"):
        return Reference(found, "text", False, f"it stands in a {mention.role}")
    if _is_own(resolver, place):
        return Reference(found, "use", True)
    unknown = [each for each in resolver.meanings(path, mention) if isinstance(each, Unknown)]
    is_open = mention.role == "use" and bool(unknown)
    return Reference(found, "use", False, unknown[0].why) if is_open else None
