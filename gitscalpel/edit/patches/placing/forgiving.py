"""What is forgiven in hunks: what is forgiven in text operations, and what only hunks get wrong.

That is context which came without its blank. A hunk is corrected until it fits exactly, so that all
that comes after need not know.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec

from gitscalpel.edit.patches.pieces import Hunk, Line, paired
from gitscalpel.edit.patches.placing.lines import Lines
from gitscalpel.edit.source import Source
from gitscalpel.edit.texts import carried
from gitscalpel.text import match

BARE = ("bare-context", "context without its leading blank")
"""The name of this strategy, and what it forgives in words."""


class Candidate(msgspec.Struct, frozen=True):
    """A place, and what makes the hunk one that fits there."""

    at: int
    strategy: str
    forgives: str
    correct: Callable[[], Hunk]


def _bare(hunk: Hunk, source: Source, text: Lines) -> list[Candidate]:  # noqa: ARG001 - as its like
    """Where each line that stays is taken with the blank that may be its own and not its mark."""
    olds = [_spellings(line) for line in hunk.lines if line.mark != b"+"]
    if not any(len(spellings) > 1 for spellings in olds) or not any(b"".join(each).strip() for each in olds):
        return []

    def stands(at: int) -> bool:
        return all(text.plain[at + n] in each for n, each in enumerate(olds))

    def as_own(at: int) -> Hunk:
        own = iter(text.plain[at : at + len(olds)])
        lines = (line if line.mark == b"+" else line._replace(text=next(own)) for line in hunk.lines)
        return msgspec.structs.replace(hunk, lines=tuple(lines))

    places = (at for at in range(len(text.plain) - len(olds) + 1) if stands(at))
    return [Candidate(at, *BARE, partial(as_own, at)) for at in places]


def _spellings(line: Line) -> tuple[bytes, ...]:
    plain = line.text.removesuffix(b"\r")
    return (plain,) if line.mark == b"-" or line.unmarked else (plain, b" " + plain)


def _as_text(hunk: Hunk, source: Source, text: Lines) -> list[Candidate]:
    """Where a text operation would find its lines."""
    old, new = (b"".join(line.removesuffix(b"\r") + b"\n" for line in each) for each in (hunk.old, hunk.new))
    folded = match.Folded(text.document.text)
    found = match.find(folded, old, new, whole=True, known=source.numbers_at)
    if found is None:
        return []

    def as_text(hit: match.Hit) -> Hunk:
        put = carried(hit, found.old, found.new, source, uniform=True)
        return msgspec.structs.replace(hunk, lines=paired(hit.lines, match.split(put)))

    line_at = text.document.line_at
    return [
        Candidate(line_at(hit.start) - 1, found.strategy, found.forgives, partial(as_text, hit))
        for hit in found.hits
    ]


WAYS = (_bare, _as_text)
"""In order: each is tried only if those before it found no place."""
