"""Names that custom asks to be called alike, as the receivers of a type's methods in Go.

Who names one where it is declared means all of them; who names a use of it means that one. What could not
have the new name keeps its own, and so does what is called otherwise already. And what a comment begins with
where custom has it begin with the name of what it is about, as in Go.
"""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.meaning import captures, foreign, told
from gitscalpel.meaning.references import Reference, References, references
from gitscalpel.meaning.resolve import Place, Resolver
from gitscalpel.meaning.things import Binding


def along(resolver: Resolver, place: Place, to: str) -> Iterator[Binding]:
    """The names that get the new one as well as what a place declares."""
    for other in resolver.dialect(place.path).customary(resolver, *place):
        bindings = {each for each in resolver.meanings(*other) if isinstance(each, Binding)}
        if bindings and _is_free(resolver, references(resolver, bindings), to):
            yield from bindings


def headings(resolver: Resolver, found: References) -> Iterator[Reference]:
    """The comments that begin with the name because they are about what has it."""
    for each in found.text:
        meant = {*resolver.dialect(each.path).begun(resolver, each.path, each.mention)}
        if meant and meant <= found.family.members:
            yield each


def left(resolver: Resolver, found: References) -> Iterator[str]:
    """What is said of those that stay."""
    changed = {(each.path, each.mention.start) for each in found.certain}
    lines: dict[str, set[int]] = {}
    for each in (one for one in found.certain if one.kind == "definition"):
        for path, mention in resolver.dialect(each.path).customary(resolver, each.path, each.mention):
            if (path, mention.start) not in changed:
                lines.setdefault(path, set()).add(resolver.line(path, mention.start))
    for path, those in lines.items():
        where = told.spots(path, sorted(those))
        yield f"{where}: {found.name} is left: it is another one, which is called alike by custom"


def _is_free(resolver: Resolver, found: References, to: str) -> bool:
    try:
        captures.refuse(resolver, found, tuple(foreign.respelled(resolver, found.certain, to)), to)
    except (BadCall, DoesNotFit):
        return False
    return True
