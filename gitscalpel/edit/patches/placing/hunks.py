"""Hunks: lines that are looked up, with a line number as a hint.

Old lines must stand in one place of the file (``finding`` says how), unless the hunk's number says
which. The number is compared as it is, and moved by as much as the hunk before was off, since what
shifts one hunk shifts those below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from itertools import groupby

from gitscalpel.edit.patches.pieces import Hunk
from gitscalpel.edit.patches.placing import anchors
from gitscalpel.edit.patches.placing.finding import Fit, fit
from gitscalpel.edit.patches.placing.lines import Lines
from gitscalpel.edit.patches.placing.misfits import applied_already
from gitscalpel.edit.patches.placing.placed import Placed
from gitscalpel.edit.patches.refusals import failed
from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.text import endings
from gitscalpel.text.splice import Splice


class Hunks:
    """The hunks of one file, placed one after the other.

    A hunk shows by its old lines whether it says carriage returns; one that has none, or only a
    last line that has no ending, does as the other hunks of its file do.
    """

    def __init__(self, source: Source, hunks: Iterable[Hunk]) -> None:
        self.source = source
        self.says_returns = any(line.text.endswith(b"\r") for hunk in hunks for line in hunk.lines)
        self.drift = 0

    @cached_property
    def text(self) -> Lines:
        """The lines to look in."""
        return Lines(self.source.document)

    def place(self, hunk: Hunk) -> Placed:
        """The splices that ``hunk`` is.

        Raises:
            DoesNotFit: ``patch_failed`` or ``ambiguous``.
        """
        told = self._told(hunk)
        fitted = self._read(hunk, told)
        hunk, at = fitted.hunk, fitted.at
        self._refuse_applied(hunk, at)
        notes = hunk.corrections
        if told is not None and hunk.old:
            self.drift = at - told
        if told is not None and at != told:
            notes = (f"hunk {hunk.index} stands at line {at + 1}", *notes)
        if fitted.forgives:
            notes = (*notes, f"hunk {hunk.index} fits but for {fitted.forgives}")
        splices = tuple(self._splices(hunk, at))
        return Placed(splices, b"\n".join(hunk.old), b"\n".join(hunk.new), notes, fitted.strategy)

    def _read(self, hunk: Hunk, told: int | None) -> Fit:
        """Where the hunk fits, by the first of its readings that does."""
        *likely, last = hunk.readings
        for reading in likely:
            try:
                return self._fit(reading, told)
            except DoesNotFit as error:
                if error.code != "patch_failed":
                    raise
        return self._fit(last, told) if last.old else Fit(last, self._between(last, told))

    def _fit(self, hunk: Hunk, told: int | None) -> Fit:
        hints = [] if told is None else [told, told + self.drift]
        if hunk.is_current and hunk.number is not None:
            hints = [told or 0, hunk.number - 1]
        return fit(hunk, self.source, self.text, hints)

    def _told(self, hunk: Hunk) -> int | None:
        """The index of the line where a hunk is said to begin, in the text as it is now."""
        if hunk.number is None:
            return None
        original, track = self.source.original, self.source.track
        index = max(hunk.number - 1, 0)
        if not track.rounds or index > original.line_count:
            return index
        start, _ = track.forward(original.starts[index], original.starts[index])
        document = self.source.document
        return document.line_count if start >= len(document.text) else document.line_at(start) - 1

    def _between(self, hunk: Hunk, told: int | None) -> int:
        """Where a hunk without old lines goes: into an empty file, or where a right header says."""
        count = len(self.text.lines)
        if not count:
            return 0
        if hunk.exact and told is not None and told <= count:
            return told
        reaches = anchors.reaches(self.text.plain, hunk.anchors) if hunk.anchors else []
        if len(reaches) == 1:
            return reaches[0].below
        if hunk.at_end and not hunk.anchors:
            return count
        raise failed(
            f"hunk {hunk.index} only adds lines and has no context, so its place in {self.source.path} "
            "is open",
            "give a few unchanged lines around the new ones",
            path=self.source.path,
            hunk=hunk.index,
        )

    def _refuse_applied(self, hunk: Hunk, at: int) -> None:
        """Refuse to add lines again beside the lines that they were added to.

        A hunk that shows no lines on one side of its new ones may stand at that end of the file only;
        elsewhere what it wants to put there is there, if the file holds all that it says around the place.
        Lines without a letter or digit repeat by nature.
        """
        old, new = hunk.old, hunk.new
        said = any(re.search(rb"\w", line.text) for line in hunk.lines if line.mark == b"+")
        if not old or len(new) <= len(old) or not said:
            return
        is_open = hunk.lines[0].mark == b"+" and at > 0
        is_open |= hunk.lines[-1].mark == b"+" and at + len(old) < len(self.text.lines)
        if is_open and any(on <= at and at + len(old) <= on + len(new) for on in self.text.every(new)):
            raise applied_already(self.source.path, hunk, at)

    def _shows_endings(self, hunk: Hunk, at: int) -> bool:
        lines = self.text.lines[at : at + len(hunk.old)]
        return len(lines) > (self.text.is_unfinished and at + len(lines) == len(self.text.lines))

    def _is_verbatim(self, hunk: Hunk, at: int) -> bool:
        return self.text.lines[at : at + len(hunk.old)] == hunk.old

    def _splices(self, hunk: Hunk, at: int) -> list[Splice]:
        """What ``hunk`` changes, run by run; its context stays as it is."""
        verbatim = self._is_verbatim(hunk, at) if self._shows_endings(hunk, at) else self.says_returns
        unfinished = self._stays_unfinished(hunk)
        made = []
        for is_context, group in groupby(hunk.lines, key=lambda line: line.mark == b" "):
            run = list(group)
            olds = [line for line in run if line.mark != b"+"]
            if not is_context:
                new = b"".join(line.text + b"\n" for line in run if line.mark == b"+")
                made.append(self._splice(at, len(olds), new, unfinished=unfinished, verbatim=verbatim))
            at += len(olds)
        return made

    def _stays_unfinished(self, hunk: Hunk) -> bool:
        """Whether the file ends without a newline afterwards: as before, unless the sides differ in it."""
        was, becomes = (
            next((line.bare for line in reversed(hunk.lines) if line.mark != other), False)
            for other in (b"+", b"-")
        )
        return self.text.is_unfinished if was == becomes else becomes

    def _splice(self, at: int, count: int, new: bytes, *, unfinished: bool, verbatim: bool) -> Splice:
        start, end = self.text.span(at, count)
        if end == len(self.source.text) and new:
            if unfinished:
                new = new[:-1]
            if start == end and self.text.is_unfinished:
                new = b"\n" + new
        if not verbatim:
            new = endings.fit(endings.plain(new), self.source.document, start, end)
        return Splice(start, end, new)
