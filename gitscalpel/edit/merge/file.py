"""One file three ways, definition by definition, for where lines conflict.

Two functions that were put at one place contradict each other as lines, and not as definitions. What
lines alone would merge is looked at as well: both may have defined the same name at two places.
"""

from __future__ import annotations

from typing import NamedTuple

from gitscalpel.edit.merge import sound
from gitscalpel.edit.merge.parts import of_file
from gitscalpel.edit.merge.weave import Place, Weave
from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.text import merge as texts


class Conflict(NamedTuple):
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
    sources = [Source.read(path, content) for content in (base, ours, theirs)]
    if not _can_be_told_apart(sources):
        return Conflict(_lines(base, ours, theirs))
    one, mine, yours = sources
    weave = Weave()
    text = weave.inside((of_file(one), of_file(mine), of_file(yours)))
    if weave.places:
        return Conflict(tuple(weave.places))
    try:
        merged = Source.read(path, mine.document.with_text(text).raw)
    except DoesNotFit:
        return Conflict(_lines(base, ours, theirs))
    if merged.document.encoding != mine.document.encoding or not sound.is_sound(one, mine, yours, merged):
        return Conflict(_lines(base, ours, theirs))
    return merged.document.raw


def doubled(path: str, ours: bytes, theirs: bytes, merged: bytes) -> list[str]:
    """The definitions that a merge by lines would leave twice in one scope, though neither version does."""
    versions = [Source.read(path, content) for content in (ours, theirs)]
    after = Source.read(path, merged)
    if after.judged is None or any(source.language != after.language for source in versions):
        return []
    return list(dict.fromkeys(symbol.qualname for symbol in sound.doubled(versions, after)))


def _can_be_told_apart(sources: list[Source]) -> bool:
    """Whether all versions are correct text of one language with definitions, in one encoding."""
    first = sources[0]
    return all(
        source.judged is not None
        and source.language == first.language
        and not source.outline.syntax.faults
        and (source.document.encoding, source.document.bom) == (first.document.encoding, first.document.bom)
        for source in sources
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
