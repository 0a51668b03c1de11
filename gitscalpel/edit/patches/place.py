"""Finds the place of each hunk in a file and makes splices of what it changes.

Old lines must stand in the file exactly (only line endings may differ) and in one place, unless the
hunk's number says which. The number is compared as it is, and moved by as much as the hunk before
was off, since what shifts one hunk shifts those below it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import groupby, pairwise

from gitscalpel.edit.patches import anchors
from gitscalpel.edit.patches.form import Hunk, Line
from gitscalpel.edit.patches.refusals import ambiguous, failed, no_change, not_found
from gitscalpel.edit.source import Edit, Source
from gitscalpel.text import endings
from gitscalpel.text.document import Document
from gitscalpel.text.splice import Splice


def edit(path: str, hunks: Sequence[Hunk], source: Source, *, is_exempt: bool = True) -> Edit:
    """All ``hunks`` as one edit of ``source``, each looked up in its text as it is.

    Args:
        path: what the file is called in refusals.
        hunks: in any order.
        source: the file.
        is_exempt: the structure gate judges the edit only where it is strict.

    Raises:
        DoesNotFit: ``patch_failed``, ``ambiguous``, or ``no_change`` if nothing comes of it.
    """
    text = _Lines(source.document)
    made: list[Splice] = []
    notes: list[str] = []
    drift = 0
    for hunk in hunks:
        told = _told(hunk, source)
        at = text.find(path, hunk, None if told is None else (told, told + drift))
        if told is not None and hunk.old:
            drift = at - told
        if told is not None and at != told:
            notes.append(f"hunk {hunk.index} stands at line {at + 1}")
        notes += hunk.corrections
        made += text.splices(hunk, at)
    made.sort()
    if any(before.end > after.start for before, after in pairwise(made)):
        raise failed(
            f"two hunks change the same lines of {path}", "put both changes into one hunk", path=path
        )
    if not made:
        raise no_change(path)
    return Edit(
        tuple(made),
        target=(made[0].start, made[-1].end),
        corrections=tuple(notes),
        replaced=b"\n".join(line for hunk in hunks for line in hunk.old),
        inserted=b"\n".join(line for hunk in hunks for line in hunk.new),
        is_exempt=is_exempt,
    )


def _told(hunk: Hunk, source: Source) -> int | None:
    """The index of the line where a hunk is said to begin, in the text as it is now."""
    if hunk.number is None:
        return None
    original = source.original
    index = max(hunk.number - 1, 0)
    if index >= original.line_count or not source.track.rounds:
        return index
    start, _ = source.track.forward(*original.span(index + 1, index + 1))
    return source.document.line_at(start) - 1


class _Lines:
    """The lines of a document, ready for hunks to be looked up in."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.lines = document.text.split(b"\n")
        if self.lines[-1] == b"":
            self.lines.pop()
        self.is_unfinished = bool(document.text) and not document.text.endswith(b"\n")

    @cached_property
    def plain(self) -> list[bytes]:
        return [line.removesuffix(b"\r") for line in self.lines]

    @cached_property
    def where(self) -> dict[bytes, list[int]]:
        found: defaultdict[bytes, list[int]] = defaultdict(list)
        for at, line in enumerate(self.plain):
            found[line].append(at)
        return found

    def find(self, path: str, hunk: Hunk, told: tuple[int, int] | None) -> int:
        """The index of the line at which ``hunk`` stands, exactly or but for its line endings."""
        if not hunk.old:
            return self._between(path, hunk)
        old = [line.removesuffix(b"\r") for line in hunk.old]
        rarest = min(range(len(old)), key=lambda n: len(self.where.get(old[n], ())))
        starts = (at - rarest for at in self.where.get(old[rarest], ()))
        found = [at for at in starts if at >= 0 and self.plain[at : at + len(old)] == old]
        exact = [at for at in found if self._is_verbatim(hunk, at)]
        found = exact or found
        if not found:
            raise not_found(path, hunk, self.document)
        for likely in (found, [at for at in told or () if at in found][:1], self._said(hunk, found)):
            if len(likely) == 1:
                return likely[0]
        raise ambiguous(path, hunk, found)

    def _said(self, hunk: Hunk, found: list[int]) -> list[int]:
        """Those places that are where the hunk's anchors or its end of file say."""
        if hunk.anchors:
            blocks = anchors.blocks(self.plain, hunk.anchors)
            found = [at for at in found if any(first <= at < last for first, last in blocks)]
        ends = [at for at in found if at + len(hunk.old) == len(self.lines)]
        return ends if hunk.at_end else found

    def _between(self, path: str, hunk: Hunk) -> int:
        """Where a hunk without old lines goes: into an empty file, or where a right header says."""
        if not self.lines:
            return 0
        if hunk.exact and hunk.number is not None and hunk.number <= len(self.lines) + 1:
            return max(hunk.number - 1, 0)
        blocks = anchors.blocks(self.plain, hunk.anchors) if hunk.anchors else []
        if len(blocks) == 1:
            return blocks[0][0] + 1
        if hunk.at_end and not hunk.anchors:
            return len(self.lines)
        raise failed(
            f"hunk {hunk.index} only adds lines and has no context, so its place in {path} is open",
            "give a few unchanged lines around the new ones",
            path=path,
            hunk=hunk.index,
        )

    def _is_verbatim(self, hunk: Hunk, at: int) -> bool:
        return self.lines[at : at + len(hunk.old)] == hunk.old

    def span(self, at: int, count: int) -> tuple[int, int]:
        starts = self.document.starts
        return starts[min(at, len(starts) - 1)], starts[min(at + count, len(starts) - 1)]

    def splices(self, hunk: Hunk, at: int) -> list[Splice]:
        """What ``hunk`` changes, run by run; its context stays as it is."""
        verbatim = self._is_verbatim(hunk, at) if hunk.old else any(b.endswith(b"\r") for b in hunk.new)
        made = []
        for is_context, group in groupby(hunk.lines, key=lambda line: line.mark == b" "):
            run = list(group)
            olds = [line for line in run if line.mark != b"+"]
            if not is_context:
                splice = self._splice(at, olds, [line for line in run if line.mark == b"+"], verbatim)
                if self.document.text[splice.start : splice.end] != splice.new:
                    made.append(splice)
            at += len(olds)
        return made

    def _splice(self, at: int, olds: list[Line], news: list[Line], verbatim: bool) -> Splice:
        start, end = self.span(at, len(olds))
        text = self.document.text
        new = b"".join(line.text + b"\n" for line in news)
        if end == len(text):
            if start == len(text) and self.is_unfinished:
                new = b"\n" + new[:-1]
            elif new and (news[-1].bare or (self.is_unfinished and not (olds and olds[-1].bare))):
                new = new[:-1]
        if not verbatim:
            new = endings.fit(endings.plain(new), self.document, start, end)
        return Splice(start, end, new)
