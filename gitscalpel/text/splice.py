"""Splices of a text, and positions before and after they are applied."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import msgspec


class Splice(NamedTuple):
    """Replace the bytes ``[start, end)`` by ``new``."""

    start: int
    end: int
    new: bytes


def apply(text: bytes, splices: Iterable[Splice]) -> bytes:
    """Apply all ``splices``, which are ascending and do not overlap, to ``text``."""
    pieces: list[bytes] = []
    at = 0
    for splice in splices:
        if splice.start < at or splice.end < splice.start:
            raise AssertionError(f"splices overlap or run backwards at byte {splice.start}")
        pieces += [text[at : splice.start], splice.new]
        at = splice.end
    return b"".join([*pieces, text[at:]])


def trim_common(text: bytes, made: Splice) -> Splice:
    """Return a splice without the whole lines that its old and new text share at both ends."""
    start, end, new = made
    while start == 0 or text[start - 1 : start] == b"\n":
        line = text[start : text.find(b"\n", start, end) + 1]
        if not line or not new.startswith(line):
            break
        start, new = start + len(line), new[len(line) :]
    while end > start and text[end - 1 : end] == b"\n":
        begins = max(start, text.rfind(b"\n", start, end - 1) + 1)
        is_line_start = begins == 0 or text[begins - 1 : begins] == b"\n"
        line = text[begins:end]
        if not is_line_start or not (new == line or new.endswith(b"\n" + line)):
            break
        end, new = begins, new[: -len(line)]
    return Splice(start, end, new)


def find_results(splices: Iterable[Splice]) -> list[tuple[int, int]]:
    """Return the range of each splice's new text in the result."""
    return [(undone.start, undone.end) for undone in _invert(list(splices))]


class SpliceRound:
    """Splices applied together, ascending and without overlap, with a fast lookup by position."""

    def __init__(self, splices: Iterable[Splice]) -> None:
        self.splices = list(splices)
        self._starts = [made.start for made in self.splices]
        self._ends = [made.end for made in self.splices]

    def touches(self, start: int, end: int) -> bool:
        """Return True if a splice replaces part of ``[start, end)``, or inserts within it."""
        first = bisect_right(self._ends, start)
        return first < len(self.splices) and self._starts[first] < end

    def parts(self, at: int) -> bool:
        """Return True if the position is inside replaced bytes, not at their edge."""
        first = bisect_right(self._ends, at)
        return first < len(self.splices) and self._starts[first] < at

    def forward(self, at: int, *, is_end: bool = False) -> int:
        """Return the position after the splices. At an insertion an end stays, a start moves behind it."""
        first = bisect_right(self._ends, at)
        if is_end:
            first = min(first, bisect_left(self._starts, at))
        shift = self._cumulative_shifts[first]
        if first == len(self.splices) or at < self._starts[first] or (is_end and at == self._starts[first]):
            return at + shift
        start, _, new = self.splices[first]
        return start + shift + (len(new) if is_end else 0)

    @cached_property
    def undone(self) -> SpliceRound:
        """Splices that restore the old text from the result."""
        return SpliceRound(_invert(self.splices))

    @cached_property
    def _cumulative_shifts(self) -> list[int]:
        """Distances in bytes by which text after the first n splices has moved, for each n."""
        return [0, *accumulate(len(new) - (end - start) for start, end, new in self.splices)]


class Track(msgspec.Struct):
    """Maps positions between the original text and the text after several rounds of splices.

    A position inside replaced bytes moves to the edge of the replacement: a start to its beginning, an end to
    its end.
    """

    rounds: list[SpliceRound] = []

    def add(self, splices: Iterable[Splice]) -> None:
        self.rounds.append(SpliceRound(splices))

    def forward(self, start: int, end: int) -> tuple[int, int]:
        """Return the current range of the original range ``[start, end)``."""
        for splices in self.rounds:
            start, end = splices.forward(start), splices.forward(end, is_end=start != end)
            end = max(start, end)
        return start, end

    def keeps(self, start: int, end: int) -> bool:
        """Return True if the current range of the original ``[start, end)`` is known to the byte.

        It is not if an edge is inside replaced bytes, or all of the range was replaced.
        """
        is_range = start < end
        for splices in self.rounds:
            if splices.parts(start) or splices.parts(end):
                return False
            start, end = splices.forward(start), splices.forward(end, is_end=start != end)
            end = max(start, end)
        return not is_range or start < end

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Return the original range of the current ``[start, end)``."""
        for splices in reversed(self.rounds):
            start, end = splices.undone.forward(start), splices.undone.forward(end, is_end=True)
            end = max(start, end)
        return start, end


def _invert(splices: list[Splice]) -> list[Splice]:
    """Return the splices that restore the old text; their content does not matter here."""
    out, shift = [], 0
    for start, end, new in splices:
        out.append(Splice(start + shift, start + shift + len(new), bytes(end - start)))
        shift += len(new) - (end - start)
    return out
