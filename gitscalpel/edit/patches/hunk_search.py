"""Find the place of each hunk: by its lines, its numbers and its anchors, exactly or leniently.

Old lines must occur in one place, unless the number of the hunk, unchanged or shifted by the offset of the
hunk before, decides between several. ``@@`` lines without numbers are anchors, spelled loosely: the hunk is
in the block of that line or below it. A lenient match corrects the hunk until it fits exactly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from itertools import groupby
from typing import NamedTuple

import msgspec

from gitscalpel.edit.patches.formats.patch_model import Hunk, Line, pair_lines, patch_error
from gitscalpel.edit.patches.placement import (
    EXACT,
    DocumentLines,
    PlacedPiece,
    anchor_elsewhere_error,
    hunk_ambiguous_error,
    hunk_applied_error,
    hunk_contradiction_error,
    hunk_ending_error,
    hunk_not_found_error,
)
from gitscalpel.edit.source import Source
from gitscalpel.edit.text_edits import adapt_new_text
from gitscalpel.errors import DoesNotFit
from gitscalpel.text import fuzzy_match, line_endings
from gitscalpel.text.fuzzy_match import replace_typography
from gitscalpel.text.splice import Splice

Anchor = tuple[bytes, ...]


class AnchorReach(msgspec.Struct, frozen=True):
    """The place of an anchor: its first line, the line below its last one, and the end of its block."""

    first: int
    below: int
    end: int


def find_reaches(lines: Sequence[bytes], anchors: Sequence[Anchor]) -> list[AnchorReach]:
    """Return every place of the last of ``anchors``, in the blocks of the preceding ones or below them."""
    normalized = [replace_typography(line) for line in lines]
    reaches = [AnchorReach(0, 0, len(lines))]
    for anchor in anchors:
        anchor_lines = [replace_typography(line) for line in anchor]
        count = len(anchor_lines)
        places = [at for at in range(len(lines)) if normalized[at : at + count] == anchor_lines]
        if not places and count == 1:
            places = [at for at, line in enumerate(normalized) if line.startswith(anchor_lines[0])]
        inside = [at for at in places if any(reach.first <= at < reach.end for reach in reaches)]
        below = [at for at in places if any(reach.below <= at for reach in reaches)]
        reaches = [
            AnchorReach(at, at + count, _find_block_end(lines, at + count - 1)) for at in inside or below
        ]
    return reaches


def _find_block_end(lines: Sequence[bytes], start: int) -> int:
    """Return the index of the first non-blank line after ``start`` that is not indented deeper."""
    depth = _measure_depth(lines[start])
    rest = range(start + 1, len(lines))
    return next((n for n in rest if lines[n].strip() and _measure_depth(lines[n]) <= depth), len(lines))


def _measure_depth(line: bytes) -> int:
    return len(line) - len(line.lstrip())


# Name of the strategy, and the ignored difference.
BARE = ("bare-context", "context without its leading blank")


class Candidate(msgspec.Struct, frozen=True):
    """A possible place, and a function that corrects the hunk to fit there."""

    at: int
    strategy: str
    forgives: str
    correct: Callable[[], Hunk]


def _find_bare_candidates(hunk: Hunk, source: Source, text: DocumentLines) -> list[Candidate]:  # noqa: ARG001 - called like the other way
    """Return candidates in which context lines begin with their own blank instead of a mark."""
    spellings_by_line = [_line_spellings(line) for line in hunk.lines if line.mark != b"+"]
    if not any(len(spellings) > 1 for spellings in spellings_by_line) or not any(
        b"".join(each).strip() for each in spellings_by_line
    ):
        return []

    def is_match(at: int) -> bool:
        return all(text.plain[at + n] in each for n, each in enumerate(spellings_by_line))

    def use_file_text(at: int) -> Hunk:
        own = iter(text.plain[at : at + len(spellings_by_line)])
        lines = (line if line.mark == b"+" else line._replace(text=next(own)) for line in hunk.lines)
        return msgspec.structs.replace(hunk, lines=tuple(lines))

    places = (at for at in range(len(text.plain) - len(spellings_by_line) + 1) if is_match(at))
    return [Candidate(at, *BARE, partial(use_file_text, at)) for at in places]


def _line_spellings(line: Line) -> tuple[bytes, ...]:
    plain = line.text.removesuffix(b"\r")
    return (plain,) if line.mark == b"-" or line.unmarked else (plain, b" " + plain)


def _find_text_candidates(hunk: Hunk, source: Source, text: DocumentLines) -> list[Candidate]:
    old, new = (b"".join(line.removesuffix(b"\r") + b"\n" for line in each) for each in (hunk.old, hunk.new))
    folded = fuzzy_match.FoldedText(text.document.text)
    match = fuzzy_match.find_matches(folded, old, new, whole=True, known=source.line_numbers_at)
    if match is None:
        return []

    def adapt_hunk(hit: fuzzy_match.Hit) -> Hunk:
        new_text = adapt_new_text(hit, match.old, match.new, source, uniform=True)
        return msgspec.structs.replace(
            hunk, lines=pair_lines(hit.lines, fuzzy_match.split_lf_lines(new_text))
        )

    line_at = text.document.line_at
    return [
        Candidate(line_at(hit.start) - 1, match.strategy, match.forgives, partial(adapt_hunk, hit))
        for hit in match.hits
    ]


WAYS = (_find_bare_candidates, _find_text_candidates)  # each is tried only if those before it found no place


class HunkFit(NamedTuple):
    """A corrected hunk, the index of its first line in the file, the strategy and the ignored difference."""

    hunk: Hunk
    at: int
    strategy: str = EXACT
    forgives: str = ""


def fit_hunk(hunk: Hunk, source: Source, text: DocumentLines, hints: Sequence[int]) -> HunkFit:
    """Return the one place of ``hunk``, which has old lines; ``hints`` are possible first indices.

    Raises ``patch_failed`` or ``ambiguous``.
    """
    places = text.find_lines(hunk.old)
    places = [at for at in places if text.lines[at : at + len(hunk.old)] == hunk.old] or places
    if places:
        strategy = BARE if any(line.unmarked for line in hunk.lines) else (EXACT, "")
        at = _choose_place(hunk, source, text, _filter_anchored(hunk, source, text, places), hints)
        return _check_end(HunkFit(hunk, at, *strategy), source, text)
    # A header that agrees with its body is a program's, and what a program shows the file held.
    for find_candidates in () if hunk.exact else WAYS:
        candidates = find_candidates(hunk, source, text)
        anchored = (
            _filter_anchored(hunk, source, text, [each.at for each in candidates]) if candidates else []
        )
        if anchored:
            at = _choose_place(hunk, source, text, anchored, forgives=candidates[0].forgives)
            candidate = next(each for each in candidates if each.at == at)
            return HunkFit(candidate.correct(), candidate.at, candidate.strategy, candidate.forgives)
    raise hunk_not_found_error(source.path, hunk, source.document)


def _choose_place(
    hunk: Hunk,
    source: Source,
    text: DocumentLines,
    places: Sequence[int],
    hints: Sequence[int] = (),
    *,
    forgives: str = "",
) -> int:
    """Choose one of several places by the hunk's number, its heading or the end of the file.

    Raises ``ambiguous`` if none of them decides, or number and heading disagree.
    """
    hinted = [at for at in dict.fromkeys(hints) if at in places]
    headed = _find_headed(hunk, text, places)
    if len(places) > 1 and hinted and not set(hinted) & set(headed):
        raise hunk_contradiction_error(source.path, hunk, hinted[0], headed)
    agreeing = [at for at in hinted if at in headed]
    at_end = [at for at in places if hunk.at_end and at + len(hunk.old) == len(text.lines)]
    for candidates in (places, agreeing, headed, at_end):
        if len(candidates) == 1:
            return candidates[0]
    raise hunk_ambiguous_error(source.path, hunk, places, forgives)


def _find_headed(hunk: Hunk, text: DocumentLines, places: Sequence[int]) -> list[int]:
    """Return the places below the hunk's heading, or all if the file lacks it.

    Git writes a line above the hunk there, perhaps far above; a model writes the definition that it changes.
    """
    reaches = find_reaches(text.plain, [(hunk.heading,)]) if hunk.heading and len(places) > 1 else []
    below = [at for at in places if any(reach.first < at + len(hunk.old) for reach in reaches)]
    inside = [
        at for at in below if any(reach.first < at + len(hunk.old) and at < reach.end for reach in reaches)
    ]
    return (below if hunk.exact else inside or below) or list(places)


def _check_end(fitted: HunkFit, source: Source, text: DocumentLines) -> HunkFit:
    """Check or correct what the hunk says about the end of the file."""
    old_lines = [line for line in fitted.hunk.lines if line.mark != b"+"]
    is_last = fitted.at + len(old_lines) == len(text.lines) and text.is_unfinished
    if not any(line.bare for line in (old_lines[:-1] if is_last else old_lines)):
        return fitted
    if fitted.hunk.exact:
        raise hunk_ending_error(source.path, fitted.hunk)
    return fitted._replace(
        strategy=fitted.strategy if fitted.forgives else "end-of-file",
        forgives=", ".join(filter(None, [fitted.forgives, "the newline at the end of the file"])),
    )


def _filter_anchored(hunk: Hunk, source: Source, text: DocumentLines, places: Sequence[int]) -> list[int]:
    """Return the places in the blocks that the hunk's anchors name, or else those below the anchors."""
    if not hunk.anchors:
        return list(places)
    reaches = find_reaches(text.plain, hunk.anchors)
    inside = [at for at in places if any(reach.first <= at < reach.end for reach in reaches)]
    below = inside or [at for at in places if any(reach.below <= at for reach in reaches)]
    if not below:
        raise anchor_elsewhere_error(source.path, hunk, bool(reaches), places)
    return below


class HunkSearch:
    """Places the hunks of one file in order.

    The old lines of a hunk show whether it writes carriage returns. A hunk without old lines, or with only a
    last line without ending, follows the other hunks of its file.
    """

    def __init__(self, source: Source, hunks: Iterable[Hunk]) -> None:
        self.source = source
        self.says_returns = any(line.text.endswith(b"\r") for hunk in hunks for line in hunk.lines)
        self.drift = 0

    @cached_property
    def text(self) -> DocumentLines:
        return DocumentLines(self.source.document)

    def place(self, hunk: Hunk) -> PlacedPiece:
        """Return the splices of ``hunk``, or raise ``patch_failed`` or ``ambiguous``."""
        claimed = self._find_claimed_line(hunk)
        fitted = self._fit_readings(hunk, claimed)
        hunk, at = fitted.hunk, fitted.at
        self._refuse_applied(hunk, at)
        notes = hunk.corrections
        if claimed is not None and hunk.old:
            self.drift = at - claimed
        if claimed is not None and at != claimed:
            notes = (f"hunk {hunk.index} is at line {at + 1}", *notes)
        if fitted.forgives:
            notes = (*notes, f"hunk {hunk.index} fits except for {fitted.forgives}")
        splices = tuple(self._make_splices(hunk, at))
        return PlacedPiece(splices, b"\n".join(hunk.old), b"\n".join(hunk.new), notes, fitted.strategy)

    def _fit_readings(self, hunk: Hunk, claimed: int | None) -> HunkFit:
        *likely, last = hunk.readings
        for reading in likely:
            try:
                return self._fit_reading(reading, claimed)
            except DoesNotFit as error:
                if error.code != "patch_failed":
                    raise
        if last.old:
            return self._fit_reading(last, claimed)
        return HunkFit(last, self._find_insertion(last, claimed))

    def _fit_reading(self, hunk: Hunk, claimed: int | None) -> HunkFit:
        hints = [] if claimed is None else [claimed, claimed + self.drift]
        if hunk.is_current and hunk.number is not None:
            hints = [claimed or 0, hunk.number - 1]
        return fit_hunk(hunk, self.source, self.text, hints)

    def _find_claimed_line(self, hunk: Hunk) -> int | None:
        """Return the index in the current text of the line at which a hunk claims to begin."""
        if hunk.number is None:
            return None
        original, track = self.source.original, self.source.track
        index = max(hunk.number - 1, 0)
        if not track.rounds or index > original.line_count:
            return index
        start, _ = track.forward(original.starts[index], original.starts[index])
        document = self.source.document
        return document.line_count if start >= len(document.text) else document.line_at(start) - 1

    def _find_insertion(self, hunk: Hunk, claimed: int | None) -> int:
        """Return the index for a hunk without old lines: in an empty file, or by a correct header."""
        count = len(self.text.lines)
        if not count:
            return 0
        if hunk.exact and claimed is not None and claimed <= count:
            return claimed
        reaches = find_reaches(self.text.plain, hunk.anchors) if hunk.anchors else []
        if len(reaches) == 1:
            return reaches[0].below
        if hunk.at_end and not hunk.anchors:
            return count
        raise patch_error(
            f"hunk {hunk.index} only adds lines and has no context, so its place in {self.source.path} "
            "is open",
            "give a few unchanged lines around the new ones",
            path=self.source.path,
            hunk=hunk.index,
        )

    def _refuse_applied(self, hunk: Hunk, at: int) -> None:
        """Raise if the added lines are already next to the lines where they would be added.

        A hunk without context on one side of its new lines must be at that end of the file. Anywhere else it
        was applied already if the file contains its new lines and context. Lines without a letter or digit do
        not count.
        """
        old, new = hunk.old, hunk.new
        has_text = any(re.search(rb"\w", line.text) for line in hunk.lines if line.mark == b"+")
        if not old or len(new) <= len(old) or not has_text:
            return
        is_open = hunk.lines[0].mark == b"+" and at > 0
        is_open |= hunk.lines[-1].mark == b"+" and at + len(old) < len(self.text.lines)
        if is_open and any(
            start <= at and at + len(old) <= start + len(new) for start in self.text.find_lines(new)
        ):
            raise hunk_applied_error(self.source.path, hunk, at)

    def _make_splices(self, hunk: Hunk, at: int) -> list[Splice]:
        lines = self.text.lines[at : at + len(hunk.old)]
        shows_endings = len(lines) > (self.text.is_unfinished and at + len(lines) == len(self.text.lines))
        verbatim = lines == hunk.old if shows_endings else self.says_returns
        lacks_newline = self._lacks_final_newline(hunk)
        splices = []
        for is_context, group in groupby(hunk.lines, key=lambda line: line.mark == b" "):
            run = list(group)
            old_lines = [line for line in run if line.mark != b"+"]
            if not is_context:
                new = b"".join(line.text + b"\n" for line in run if line.mark == b"+")
                splices.append(
                    self._make_splice(at, len(old_lines), new, unfinished=lacks_newline, verbatim=verbatim)
                )
            at += len(old_lines)
        return splices

    def _lacks_final_newline(self, hunk: Hunk) -> bool:
        """Return True if the result lacks a final newline: as before, unless the hunk changes it."""
        was, becomes = (
            next((line.bare for line in reversed(hunk.lines) if line.mark != other), False)
            for other in (b"+", b"-")
        )
        return self.text.is_unfinished if was == becomes else becomes

    def _make_splice(self, at: int, count: int, new: bytes, *, unfinished: bool, verbatim: bool) -> Splice:
        start, end = self.text.span(at, count)
        if end == len(self.source.text) and new:
            if unfinished:
                new = new[:-1]
            if start == end and self.text.is_unfinished:
                new = b"\n" + new
        if not verbatim:
            new = line_endings.fit_line_endings(
                line_endings.convert_to_lf(new), self.source.document, start, end
            )
        return Splice(start, end, new)
