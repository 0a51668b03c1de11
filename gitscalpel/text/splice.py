"""Splices, and where a position goes when they are made."""

from __future__ import annotations

from collections.abc import Iterable
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


def moved(at: int, splices: Iterable[Splice]) -> int:
    """Where the position ``at`` is after ``splices``; what stands at an insertion stands behind it."""
    return _forward(at, list(splices), False)


def results(splices: Iterable[Splice]) -> list[tuple[int, int]]:
    """Where the new text of each of ``splices`` stands in the result."""
    return [(undone.start, undone.end) for undone in _undone(list(splices))]


class Track(msgspec.Struct):
    """Carries positions between the original text and the text after some rounds of splices.

    A position inside replaced bytes goes to the edge of the replacement: a
    start to its beginning, an end to its end.
    """

    rounds: list[list[Splice]] = []

    def add(self, splices: Iterable[Splice]) -> None:
        """Record one round, in the coordinates of the text before it."""
        self.rounds.append(list(splices))

    def forward(self, start: int, end: int) -> tuple[int, int]:
        """Where the original range ``[start, end)`` is now."""
        for splices in self.rounds:
            start, end = _forward(start, splices, False), _forward(end, splices, start != end)
            end = max(start, end)
        return start, end

    def keeps(self, start: int, end: int) -> bool:
        """Whether what became of the original range ``[start, end)`` can be told to the byte.

        It cannot where an edge of it lies inside of replaced bytes, nor where all of it is gone.
        """
        is_range = start < end
        for splices in self.rounds:
            if any(s.start < at < s.end for s in splices for at in (start, end)):
                return False
            start, end = _forward(start, splices, False), _forward(end, splices, start != end)
            end = max(start, end)
        return not is_range or start < end

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Which original range the current ``[start, end)`` came from."""
        for splices in reversed(self.rounds):
            undone = _undone(splices)
            start, end = _forward(start, undone, False), _forward(end, undone, True)
            end = max(start, end)
        return start, end


def _forward(at: int, splices: list[Splice], is_end: bool) -> int:
    """``at`` after ``splices``; at an insertion point an end stays before it."""
    shift = 0
    for start, end, new in splices:
        if at < start or (at == start and is_end):
            break
        if at >= end:
            shift += len(new) - (end - start)
            continue
        return start + shift + (len(new) if is_end else 0)
    return at + shift


def _undone(splices: list[Splice]) -> list[Splice]:
    """The splices that take the result back; their content does not matter here."""
    out, shift = [], 0
    for start, end, new in splices:
        out.append(Splice(start + shift, start + shift + len(new), bytes(end - start)))
        shift += len(new) - (end - start)
    return out
