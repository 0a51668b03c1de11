"""Splices of a text, and the positions in it before and after they are applied."""

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
    """``text`` with all ``splices`` made; they are ascending and do not overlap."""
    pieces: list[bytes] = []
    at = 0
    for splice in splices:
        if splice.start < at or splice.end < splice.start:
            raise AssertionError(f"splices overlap or run backwards at byte {splice.start}")
        pieces += [text[at : splice.start], splice.new]
        at = splice.end
    return b"".join([*pieces, text[at:]])


def trimmed(text: bytes, made: Splice) -> Splice:
    """A splice of ``text`` without the whole lines with which what goes and what comes both begin and end."""
    start, end, new = made
    while start == 0 or text[start - 1 : start] == b"\n":
        line = text[start : text.find(b"\n", start, end) + 1]
        if not line or not new.startswith(line):
            break
        start, new = start + len(line), new[len(line) :]
    while end > start and text[end - 1 : end] == b"\n":
        begins = max(start, text.rfind(b"\n", start, end - 1) + 1)
        whole = begins == 0 or text[begins - 1 : begins] == b"\n"
        line = text[begins:end]
        if not whole or not (new == line or new.endswith(b"\n" + line)):
            break
        end, new = begins, new[: -len(line)]
    return Splice(start, end, new)


def results(splices: Iterable[Splice]) -> list[tuple[int, int]]:
    """Return where the new text of each of ``splices`` stands in the result."""
    return [(undone.start, undone.end) for undone in _undone(list(splices))]


class Round:
    """Splices that are made together, ascending and without overlap, found by where they are.

    A definition is asked about each of them, and of both there may be many thousands in a file.
    """

    def __init__(self, splices: Iterable[Splice]) -> None:
        self.splices = list(splices)
        self._starts = [made.start for made in self.splices]
        self._ends = [made.end for made in self.splices]

    def touches(self, start: int, end: int) -> bool:
        """Whether one of them replaces something of ``[start, end)``, or inserts something in there."""
        first = bisect_right(self._ends, start)
        return first < len(self.splices) and self._starts[first] < end

    def parts(self, at: int) -> bool:
        """Return True if the position lies inside of replaced bytes, not at their edge."""
        first = bisect_right(self._ends, at)
        return first < len(self.splices) and self._starts[first] < at

    def forward(self, at: int, *, is_end: bool = False) -> int:
        """Where the position is after them: at an insertion an end stays before it, a start goes behind."""
        first = bisect_right(self._ends, at)
        if is_end:
            first = min(first, bisect_left(self._starts, at))
        shift = self._shifts[first]
        if first == len(self.splices) or at < self._starts[first] or (is_end and at == self._starts[first]):
            return at + shift
        start, _, new = self.splices[first]
        return start + shift + (len(new) if is_end else 0)

    @cached_property
    def undone(self) -> Round:
        """The splices that take the result back."""
        return Round(_undone(self.splices))

    @cached_property
    def _shifts(self) -> list[int]:
        """By how much what stands behind the first of them has moved, for each number of them."""
        return [0, *accumulate(len(new) - (end - start) for start, end, new in self.splices)]


class Track(msgspec.Struct):
    """Carries positions between the original text and the text after some rounds of splices.

    A position inside replaced bytes goes to the edge of the replacement: a
    start to its beginning, an end to its end.
    """

    rounds: list[Round] = []

    def add(self, splices: Iterable[Splice]) -> None:
        """Record one round, in the coordinates of the text before it."""
        self.rounds.append(Round(splices))

    def forward(self, start: int, end: int) -> tuple[int, int]:
        """Return where the original range ``[start, end)`` is now."""
        for made in self.rounds:
            start, end = made.forward(start), made.forward(end, is_end=start != end)
            end = max(start, end)
        return start, end

    def keeps(self, start: int, end: int) -> bool:
        """Return True if what became of the original range ``[start, end)`` can be told to the byte.

        It cannot where an edge of it lies inside of replaced bytes, nor where all of it is gone.
        """
        is_range = start < end
        for made in self.rounds:
            if made.parts(start) or made.parts(end):
                return False
            start, end = made.forward(start), made.forward(end, is_end=start != end)
            end = max(start, end)
        return not is_range or start < end

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Return which original range the current ``[start, end)`` came from."""
        for made in reversed(self.rounds):
            start, end = made.undone.forward(start), made.undone.forward(end, is_end=True)
            end = max(start, end)
        return start, end


def _undone(splices: list[Splice]) -> list[Splice]:
    """Return the splices that take the result back; their content does not matter here."""
    out, shift = [], 0
    for start, end, new in splices:
        out.append(Splice(start + shift, start + shift + len(new), bytes(end - start)))
        shift += len(new) - (end - start)
    return out
