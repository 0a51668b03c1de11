"""One file three ways, definition by definition, for where lines conflict.

Two functions that were put at one place contradict each other as lines, and not as definitions. What
lines alone would merge is looked at as well: both may have defined the same name at two places.
"""

from __future__ import annotations

import msgspec

from gitscalpel.edit.merge import refused, shared, sound
from gitscalpel.edit.merge.parts import of_file
from gitscalpel.edit.merge.shared import Left
from gitscalpel.edit.merge.weave import Place, Weave
from gitscalpel.edit.new_faults import is_sound
from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.text import merge as texts


class Conflict(msgspec.Struct, frozen=True):
    """The places at which the two changes contradict each other."""

    places: tuple[Place, ...]


def by_symbols(path: str, base: bytes, ours: bytes, theirs: bytes) -> bytes | Conflict:
    """Merge the bytes of a file that both began as ``base``; whatever is in doubt is a conflict.

    Args:
        path: of the file; it says the language.
        base: as it was.
        ours: one version of it, whose additions come first.
        theirs: the other.
    """
    whole = [Source.read(path, content) for content in (base, ours, theirs)]
    if not _can_be_told_apart(whole):
        return Conflict(_lines(base, ours, theirs))
    left = shared.left(whole)
    sources = _with(whole, left.texts)
    merged = _merged(sources, whole, left)
    if isinstance(merged, Source):
        return merged.document.raw
    places = merged or _lines(*left.texts)
    return Conflict(tuple(_moved(place, left) for place in places))


def _merged(sources: list[Source], whole: list[Source], left: Left) -> Source | tuple[Place, ...]:
    """The merged file, or what contradicts each other; nothing, if that is not known."""
    one, mine, yours = sources
    if any(source.judged is None or not is_sound(source) for source in sources):
        return ()
    weave = Weave()
    text = weave.inside((of_file(one), of_file(mine), of_file(yours)))
    if weave.places:
        return tuple(weave.places)
    all_of_it = left.whole(text)
    if all_of_it is None:
        return ()
    try:
        merged = Source.read(mine.path, whole[1].document.with_text(all_of_it).raw)
    except DoesNotFit:
        return ()
    woven = msgspec.structs.replace(mine, document=mine.document.with_text(text))
    fits = merged.document.encoding == mine.document.encoding and sound.is_sound(one, mine, yours, woven)
    return merged if fits and not refused.spoils(whole[1:], merged) else ()


def against(path: str, ours: bytes, theirs: bytes, merged: bytes) -> tuple[Place, ...]:
    """What speaks against a merge by lines: lines do not see that both sides named the same thing.

    Returns:
        definitions that would stand twice in one scope, imports that give one name to two things, and
        a file that would not be read any more; all of it only if neither version is so.
    """
    three = [Source.read(path, content) for content in (merged, ours, theirs)]
    places: list[Place] = []
    if _can_be_told_apart(three):
        after, *versions = _with(three, shared.left(three).texts)
        if after.judged is not None:
            names = dict.fromkeys(symbol.qualname for symbol in sound.doubled(versions, after))
            places += [Place(name, None, "both define it, at two places") for name in names]
            if sound.import_twice(versions, after):
                places.append(Place(None, None, "both import something else by one name"))
    if not places and refused.spoils(three[1:], three[0]) and is_sound(three[0]):
        # What does not parse at all is left to the gate, which says where.
        places.append(Place(None, None, "what reads such files would refuse it, and takes both versions"))
    return tuple(places)


def _with(sources: list[Source], texts: tuple[bytes, ...]) -> list[Source]:
    """The same files with other texts."""
    return [
        msgspec.structs.replace(source, document=source.document.with_text(text))
        for source, text in zip(sources, texts, strict=True)
    ]


def _can_be_told_apart(sources: list[Source]) -> bool:
    """Whether all versions are text of one language with definitions, in one encoding."""
    first = sources[0]
    return first.language is not None and all(
        source.language == first.language
        and (source.document.encoding, source.document.bom) == (first.document.encoding, first.document.bom)
        for source in sources
    )


def _moved(place: Place, left: Left) -> Place:
    """A place with its lines in the whole file."""
    return (
        place._replace(lines=(left.line(place.lines[0]), left.line(place.lines[1]))) if place.lines else place
    )


def _lines(base: bytes, ours: bytes, theirs: bytes) -> tuple[Place, ...]:
    """The lines that both changed."""
    split = [texts.lines(text) for text in (base, ours, theirs)]
    found = [
        Place(None, (r.ours[0] + 1, max(r.ours[0] + 1, r.ours[1])), "both changed these lines")
        for r in texts.regions(*split)
        if r.by == "both" and split[1][slice(*r.ours)] != split[2][slice(*r.theirs)]
    ]
    return tuple(found) or (Place(None, None, "the definitions of both do not go together"),)
