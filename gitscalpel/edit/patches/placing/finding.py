"""Where the old lines of a hunk stand: exactly, or as what is forgiven reads them.

What is forgiven is the list that text operations have, and what only hunks get wrong: context that
came without its blank, and an empty last line that stands for the end of the file. A hunk is
corrected until it fits exactly, so that all that comes after need not know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from gitscalpel.edit.patches.pieces import Hunk, Line, paired
from gitscalpel.edit.patches.placing import anchors
from gitscalpel.edit.patches.placing.lines import Lines
from gitscalpel.edit.patches.placing.misfits import ambiguous, anchor_elsewhere, not_found
from gitscalpel.edit.patches.placing.placed import EXACT
from gitscalpel.edit.source import Source
from gitscalpel.edit.texts import carried
from gitscalpel.text import match

BARE = "bare-context"


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
                return Fit(hunk, likely[0], *((BARE, _BARE) if is_bare else ()))
        raise ambiguous(source.path, hunk, found)
    # A header that agrees with its body is a program's, and what a program shows the file held.
    for forgive in () if hunk.exact else (_bare, _as_text, _to_the_end):
        fits = forgive(hunk, source, text)
        likely = _below(hunk, source, text, [each.at for each in fits]) if fits else []
        likely = _ending(hunk, text, likely) if len(likely) > 1 else likely
        if len(likely) > 1:
            raise ambiguous(source.path, hunk, likely, fits[0].forgives)
        if likely:
            return _corrected(next(each for each in fits if each.at == likely[0]), source)
    raise not_found(source.path, hunk, source.document)


class _Candidate(NamedTuple):
    """A place, and what makes the hunk one that fits there."""

    at: int
    strategy: str
    forgives: str
    correct: Callable[[Source], Hunk]


def _corrected(candidate: _Candidate, source: Source) -> Fit:
    return Fit(candidate.correct(source), candidate.at, candidate.strategy, candidate.forgives)


_BARE = "context without its leading blank"


def _bare(hunk: Hunk, source: Source, text: Lines) -> list[_Candidate]:  # noqa: ARG001 - as its like
    """Where each line that stays is taken with the blank that may be its own and not its mark."""
    olds = [_spellings(line) for line in hunk.lines if line.mark != b"+"]
    if not any(len(spellings) > 1 for spellings in olds) or not any(b"".join(each).strip() for each in olds):
        return []

    def stands(at: int) -> bool:
        return all(text.plain[at + n] in each for n, each in enumerate(olds))

    def as_own(at: int) -> Callable[[Source], Hunk]:
        def correct(_: Source) -> Hunk:
            own = iter(text.plain[at : at + len(olds)])
            lines = (line if line.mark == b"+" else line._replace(text=next(own)) for line in hunk.lines)
            return msgspec.structs.replace(hunk, lines=tuple(lines))

        return correct

    places = (at for at in range(len(text.plain) - len(olds) + 1) if stands(at))
    return [_Candidate(at, BARE, _BARE, as_own(at)) for at in places]


def _spellings(line: Line) -> tuple[bytes, ...]:
    plain = line.text.removesuffix(b"\r")
    return (plain,) if line.mark == b"-" or line.unmarked else (plain, b" " + plain)


def _as_text(hunk: Hunk, source: Source, text: Lines) -> list[_Candidate]:
    """Where a text operation would find its lines."""
    old, new = (b"".join(line.removesuffix(b"\r") + b"\n" for line in each) for each in (hunk.old, hunk.new))
    folded = match.Folded(text.document.text)
    found = match.find(folded, old, new, whole=True, known=source.numbers_at)
    if found is None:
        return []

    def as_text(hit: match.Hit) -> Callable[[Source], Hunk]:
        def correct(source: Source) -> Hunk:
            put = carried(hit, found.old, found.new, source, uniform=True)
            return msgspec.structs.replace(hunk, lines=paired(hit.lines, match.split(put)))

        return correct

    line_at = text.document.line_at
    return [
        _Candidate(line_at(hit.start) - 1, found.strategy, found.forgives, as_text(hit)) for hit in found.hits
    ]


def _to_the_end(hunk: Hunk, source: Source, text: Lines) -> list[_Candidate]:  # noqa: ARG001 - as its like
    """Where an empty last line stands for the end of the file."""
    old, new = hunk.old, hunk.new
    if len(old) < 2 or old[-1].strip():
        return []
    new = new[:-1] if new and not new[-1].strip() else new
    at = len(text.lines) - len(old) + 1
    if at < 0 or at not in text.every(old[:-1]):
        return []
    corrected = msgspec.structs.replace(hunk, lines=paired(old[:-1], new))
    return [_Candidate(at, "end-of-file", "an empty line for the end of the file", lambda _: corrected)]


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
