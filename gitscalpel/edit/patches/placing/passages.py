"""Passages: text that must stand in the file exactly, in one place unless every one is meant."""

from __future__ import annotations

from gitscalpel.edit.patches.pieces import Passage
from gitscalpel.edit.patches.placing.misfits import passage_ambiguous, passage_not_found
from gitscalpel.edit.patches.placing.placed import Placed
from gitscalpel.edit.source import Source
from gitscalpel.text import endings, match


def place(passage: Passage, source: Source) -> Placed:
    """The splices that ``passage`` is.

    Raises:
        DoesNotFit: ``not_found`` or ``ambiguous``.
    """
    old, new = endings.plain(passage.old), endings.plain(passage.new)
    hits = match.exact(match.Folded(source.text), old)
    if not hits:
        raise passage_not_found(source, passage)
    if passage.every:
        hits = match.apart(hits)
    elif len(hits) > 1:
        raise passage_ambiguous(source, passage, [(hit.start, hit.end) for hit in hits])
    splices = tuple(endings.splice(source.document, hit.start, hit.end, new) for hit in hits)
    return Placed(splices, old, new)
