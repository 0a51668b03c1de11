"""Passages: text that must stand in the file in one place, unless it is said how many are meant.

It is looked for as a text operation does it: exactly, else as what is forgiven reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from gitscalpel.edit.patches.pieces import Passage
from gitscalpel.edit.patches.placing.misfits import overlapping
from gitscalpel.edit.patches.placing.passage_misfits import (
    passage_ambiguous,
    passage_count,
    passage_not_found,
)
from gitscalpel.edit.patches.placing.placed import EXACT, Placed
from gitscalpel.edit.source import Source
from gitscalpel.edit.texts import carried
from gitscalpel.text import endings, match


def place(passage: Passage, source: Source) -> Placed:
    """The splices that ``passage`` is.

    Raises:
        DoesNotFit: ``not_found``, ``ambiguous`` or ``count_mismatch``.
    """
    old, new = endings.plain(passage.old), endings.plain(passage.new)
    found = match.find(match.Folded(source.text), old, new, known=source.numbers_at)
    if found is None:
        raise passage_not_found(source, passage)
    hits = match.apart(found.hits) if passage.every or passage.count is not None else found.hits
    spots = [(hit.start, hit.end) for hit in hits]
    if passage.count is not None and passage.count != len(hits):
        raise passage_count(source, passage, spots)
    if len(hits) > 1 and not passage.every and passage.count is None:
        raise passage_ambiguous(source, passage, spots)
    news = [carried(hit, found.old, found.new, source, uniform=True) for hit in hits]
    splices = tuple(
        endings.splice(source.document, *spot, said) for spot, said in zip(spots, news, strict=True)
    )
    notes = (f"edit {passage.index} fits but for {found.forgives}",) if found.strategy != EXACT else ()
    return Placed(splices, old, new, notes, found.strategy)


def refuse_overlapping(passages: Sequence[Passage], source: Source) -> None:
    """Refuse edits of one call of which two name the same text: whoever wrote them saw one file.

    Raises:
        DoesNotFit: ``patch_failed``.
    """
    together = [passage for passage in passages if passage.call]
    if len(together) < 2:
        return
    folded = match.Folded(source.text)
    found = [(passage, match.exact(folded, endings.plain(passage.old))) for passage in together]
    spots = [(hits[0].start, hits[0].end, passage) for passage, hits in found if len(hits) == 1]
    spots.sort(key=lambda spot: spot[:2])
    for (_, end, first), (start, _, second) in pairwise(spots):
        if start < end and first.call == second.call:
            raise overlapping(source, first.index, second.index, start)
