"""Where the old lines of a hunk stand: exactly, or as what is forgiven (``forgiving``) reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gitscalpel.edit.patches.pieces import Hunk
from gitscalpel.edit.patches.placing import anchors, forgiving
from gitscalpel.edit.patches.placing.lines import Lines
from gitscalpel.edit.patches.placing.misfits import ambiguous, anchor_elsewhere, not_found
from gitscalpel.edit.patches.placing.placed import EXACT
from gitscalpel.edit.source import Source


class Fit(NamedTuple):
    """A hunk as it fits, and the index of its first line.

    Attributes:
        strategy: what had to be forgiven, ``exact`` if nothing.
        forgives: the same in words.
    """

    hunk: Hunk
    at: int
    strategy: str = EXACT
    forgives: str = ""


def fit(hunk: Hunk, source: Source, text: Lines, hints: Sequence[int]) -> Fit:
    """The one place of ``hunk``.

    Args:
        hunk: it has old lines.
        source: the file.
        text: its lines.
        hints: the indexes of lines at which it may be said to begin.

    Raises:
        DoesNotFit: ``patch_failed`` or ``ambiguous``.
    """
    found = text.every(hunk.old)
    found = [at for at in found if text.lines[at : at + len(hunk.old)] == hunk.old] or found
    if found:
        found = _below(hunk, source, text, found)
        hinted = [at for at in dict.fromkeys(hints) if at in found]
        for likely in (found, hinted, _ending(hunk, text, found)):
            if len(likely) == 1:
                is_bare = any(line.unmarked for line in hunk.lines)
                return Fit(hunk, likely[0], *(forgiving.BARE if is_bare else ()))
        raise ambiguous(source.path, hunk, found)
    # A header that agrees with its body is a program's, and what a program shows the file held.
    for forgive in () if hunk.exact else forgiving.WAYS:
        fits = forgive(hunk, source, text)
        likely = _below(hunk, source, text, [each.at for each in fits]) if fits else []
        likely = _ending(hunk, text, likely) if len(likely) > 1 else likely
        if len(likely) > 1:
            raise ambiguous(source.path, hunk, likely, fits[0].forgives)
        if likely:
            chosen = next(each for each in fits if each.at == likely[0])
            return Fit(chosen.correct(), chosen.at, chosen.strategy, chosen.forgives)
    raise not_found(source.path, hunk, source.document)


def _below(hunk: Hunk, source: Source, text: Lines, found: Sequence[int]) -> list[int]:
    """Those places that stand in the blocks that the hunk's anchors name, else those below them."""
    if not hunk.anchors:
        return list(found)
    reaches = anchors.reaches(text.plain, hunk.anchors)
    inside = [at for at in found if any(reach.first <= at < reach.end for reach in reaches)]
    below = inside or [at for at in found if any(reach.below <= at for reach in reaches)]
    if not below:
        raise anchor_elsewhere(source.path, hunk, bool(reaches), found)
    return below


def _ending(hunk: Hunk, text: Lines, found: Sequence[int]) -> list[int]:
    """Those that end where the file ends, if that is said."""
    return [at for at in found if at + len(hunk.old) == len(text.lines)] if hunk.at_end else list(found)
