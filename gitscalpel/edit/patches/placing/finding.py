"""Where the old lines of a hunk stand: exactly, or as what is forgiven (``forgiving``) reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gitscalpel.edit.patches.pieces import Hunk
from gitscalpel.edit.patches.placing import anchors, forgiving
from gitscalpel.edit.patches.placing.lines import Lines
from gitscalpel.edit.patches.placing.misfits import (
    ambiguous,
    anchor_elsewhere,
    contradicting,
    ended_otherwise,
    not_found,
)
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
        forgives = forgiving.BARE if any(line.unmarked for line in hunk.lines) else (EXACT, "")
        at = _chosen(hunk, source, text, _below(hunk, source, text, found), hints)
        return _ended(Fit(hunk, at, *forgives), source, text)
    # A header that agrees with its body is a program's, and what a program shows the file held.
    for forgive in () if hunk.exact else forgiving.WAYS:
        fits = forgive(hunk, source, text)
        likely = _below(hunk, source, text, [each.at for each in fits]) if fits else []
        if likely:
            at = _chosen(hunk, source, text, likely, forgives=fits[0].forgives)
            chosen = next(each for each in fits if each.at == at)
            return Fit(chosen.correct(), chosen.at, chosen.strategy, chosen.forgives)
    raise not_found(source.path, hunk, source.document)


def _chosen(
    hunk: Hunk,
    source: Source,
    text: Lines,
    found: Sequence[int],
    hints: Sequence[int] = (),
    *,
    forgives: str = "",
) -> int:
    """The one of several places that the hunk's number, its heading or the end of the file says.

    Raises:
        DoesNotFit: ``ambiguous``, if none of them does, or number and heading say different ones.
    """
    hinted = [at for at in dict.fromkeys(hints) if at in found]
    headed = _headed(hunk, text, found)
    if len(found) > 1 and hinted and not set(hinted) & set(headed):
        raise contradicting(source.path, hunk, hinted[0], headed)
    both = [at for at in hinted if at in headed]
    for likely in (found, both, headed, _ending(hunk, text, found)):
        if len(likely) == 1:
            return likely[0]
    raise ambiguous(source.path, hunk, found, forgives)


def _headed(hunk: Hunk, text: Lines, found: Sequence[int]) -> list[int]:
    """Those places that the hunk's heading may stand above; all if the file does not have it.

    What git writes there stands above a hunk, perhaps far above; what a model writes is the definition
    that it changes.
    """
    reaches = anchors.reaches(text.plain, [(hunk.heading,)]) if hunk.heading and len(found) > 1 else []
    below = [at for at in found if any(reach.first < at + len(hunk.old) for reach in reaches)]
    inside = [
        at for at in below if any(reach.first < at + len(hunk.old) and at < reach.end for reach in reaches)
    ]
    return (below if hunk.exact else inside or below) or list(found)


def _ended(fitted: Fit, source: Source, text: Lines) -> Fit:
    """The same; what it says of the end of the file must be so, or is forgiven."""
    olds = [line for line in fitted.hunk.lines if line.mark != b"+"]
    last = fitted.at + len(olds) == len(text.lines) and text.is_unfinished
    if not any(line.bare for line in (olds[:-1] if last else olds)):
        return fitted
    if fitted.hunk.exact:
        raise ended_otherwise(source.path, fitted.hunk)
    return fitted._replace(
        strategy=fitted.strategy if fitted.forgives else "end-of-file",
        forgives=", ".join(filter(None, [fitted.forgives, "the newline at the end of the file"])),
    )


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
