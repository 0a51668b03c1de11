"""Where the shortest way through two sequences may be cut in two: where the ways from its ends meet.

A place is a position ``x`` in the old sequence on a diagonal ``d``, which has ``y = x - d`` in the new one.
Of ties, and of where the search is given up, the same is made as by git's xdiff.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

_LONG = 256
"""Edits from which on the shortest way is no longer looked for at any price, at least."""
_SNAKE = 20
"""Items in a row that are the same: a stretch on which one may rely."""
_GOOD = 4
"""How far each edit has to lead, on average, where the search is interrupted at such a stretch."""
_FAR = 1 << 60
Place = tuple[int, int]


class Box(NamedTuple):
    """Items ``[left, right)`` of the old and ``[top, bottom)`` of the new sequence.

    ``exact`` says that only the shortest way will do: it is known not to be long.
    """

    left: int
    right: int
    top: int
    bottom: int
    exact: bool = False


class Reach:
    """How far one gets on each diagonal of two sequences, from the beginning and from the end.

    Attributes:
        longest: edits after which the search for the shortest way is given up.
        steps: how often it was looked how far one gets.
    """

    def __init__(self, old: Sequence[int], new: Sequence[int]) -> None:
        self.old, self.new = old, new
        self.zero = len(new) + 1
        diagonals = len(old) + len(new) + 3
        self.ahead, self.back = [0] * diagonals, [0] * diagonals
        self.longest = max(_LONG, root(diagonals))
        self.steps = 0


class Split:
    """One box that is parted where the ways from its two corners meet."""

    def __init__(self, reach: Reach, box: Box) -> None:
        self.reach, self.box = reach, box
        first, last = box.left - box.top, box.right - box.bottom
        self.least, self.most = box.left - box.bottom, box.right - box.top
        self.ahead, self.back = (first, first), (last, last)
        self.odd = bool((first - last) & 1)
        reach.ahead[first + reach.zero] = box.left
        reach.back[last + reach.zero] = box.right

    def found(self) -> list[Box]:
        """Two boxes, with everything outside of them the same."""
        edits = 0
        while True:
            edits += 1
            self.reach.steps += edits
            met = self._forward()
            snake = self._snake
            if met is None:
                met = self._backward()
                snake |= self._snake
            if met is not None:
                return self._parted(*met, True, True)
            if not self.box.exact:
                short = self._cut_short(edits) if snake and edits > _LONG else None
                if short is None and edits >= self.reach.longest:
                    short = self._furthest()
                if short is not None:
                    return short

    def _parted(self, x: int, y: int, above: bool, below: bool) -> list[Box]:
        left, right, top, bottom, _ = self.box
        return [Box(left, x, top, y, above), Box(x, right, y, bottom, below)]

    def _wider(self, span: tuple[int, int], reached: list[int], beyond: int) -> tuple[int, int]:
        """One diagonal more on either side, or one less where the box ends."""
        low, high = span
        zero = self.reach.zero
        low = low - 1 if low > self.least else low + 1
        high = high + 1 if high < self.most else high - 1
        if low < span[0]:
            reached[low - 1 + zero] = beyond
        if high > span[1]:
            reached[high + 1 + zero] = beyond
        return low, high

    def _forward(self) -> tuple[int, int] | None:
        """One more edit from the beginning; where that meets what came from the end."""
        _, right, _, bottom, _ = self.box
        old, new, ahead, back = self.reach.old, self.reach.new, self.reach.ahead, self.reach.back
        self.ahead = low, high = self._wider(self.ahead, ahead, -1)
        zero, (first, last) = self.reach.zero, self.back if self.odd else (1, 0)
        self._snake = False
        for at in range(high + zero, low + zero - 1, -2):
            x = ahead[at - 1] + 1 if ahead[at - 1] >= ahead[at + 1] else ahead[at + 1]
            begun, y = x, x - at + zero
            while x < right and y < bottom and old[x] == new[y]:
                x, y = x + 1, y + 1
            self._snake |= x - begun > _SNAKE
            ahead[at] = x
            if first <= at - zero <= last and back[at] <= x:
                return x, y
        return None

    def _backward(self) -> tuple[int, int] | None:
        """One more edit from the end; where that meets what came from the beginning."""
        left, _, top, _, _ = self.box
        old, new, ahead, back = self.reach.old, self.reach.new, self.reach.ahead, self.reach.back
        self.back = low, high = self._wider(self.back, back, _FAR)
        zero, (first, last) = self.reach.zero, (1, 0) if self.odd else self.ahead
        self._snake = False
        for at in range(high + zero, low + zero - 1, -2):
            x = back[at - 1] if back[at - 1] < back[at + 1] else back[at + 1] - 1
            begun, y = x, x - at + zero
            while x > left and y > top and old[x - 1] == new[y - 1]:
                x, y = x - 1, y - 1
            self._snake |= begun - x > _SNAKE
            back[at] = x
            if first <= at - zero <= last and x <= ahead[at]:
                return x, y
        return None

    def _places(self, reached: list[int], span: tuple[int, int]) -> Iterator[tuple[int, int]]:
        """How far one has got, on the highest diagonal first."""
        low, high = span
        for d in range(high, low - 1, -2):
            x = reached[d + self.reach.zero]
            yield x, x - d

    def _cut_short(self, edits: int) -> list[Box] | None:
        """Part at the end of a long stretch that is the same and has led far, if there is one."""
        left, right, top, bottom, _ = self.box
        places = list(self._places(self.reach.ahead, self.ahead))
        far = [x - left + y - top - abs(x - y - left + top) for x, y in places]
        ends = [left + _SNAKE <= x < right and top + _SNAKE <= y < bottom for x, y in places]
        found = self._best(edits, places, far, ends, -_SNAKE)
        if found is not None:
            return self._parted(*found, True, False)
        places = list(self._places(self.reach.back, self.back))
        far = [right - x + bottom - y - abs(x - y - right + bottom) for x, y in places]
        ends = [left < x <= right - _SNAKE and top < y <= bottom - _SNAKE for x, y in places]
        found = self._best(edits, places, far, ends, 0)
        return None if found is None else self._parted(*found, False, True)

    def _best(
        self, edits: int, places: list[Place], far: list[int], ends: list[bool], begins: int
    ) -> Place | None:
        """That with most gained of the places that ``ends`` says may lie at a stretch, and do."""
        old, new = self.reach.old, self.reach.new
        best, found = _GOOD * edits, None
        for (x, y), gained, may_end in zip(places, far, ends, strict=True):
            a, c = x + begins, y + begins
            if may_end and gained > best and old[a : a + _SNAKE] == new[c : c + _SNAKE]:
                best, found = gained, (x, y)
        return found

    def _furthest(self) -> list[Box]:
        """Part where one has got furthest."""
        left, right, top, bottom, _ = self.box
        ahead, back = (
            list(self._places(reached, span))
            for reached, span in ((self.reach.ahead, self.ahead), (self.reach.back, self.back))
        )
        down = [(min(x, right, bottom + x - y), x - y) for x, y in ahead]
        up = [(max(x, left, top + x - y), x - y) for x, y in back]
        x, d = max(down, key=lambda at: 2 * at[0] - at[1])
        v, e = min(up, key=lambda at: 2 * at[0] - at[1])
        if right + bottom - (2 * v - e) < 2 * x - d - (left + top):
            return self._parted(x, x - d, True, False)
        return self._parted(v, v - e, False, True)


def root(number: int) -> int:
    """The square root, as a power of two, roughly."""
    found = 1
    while number:
        found, number = found * 2, number >> 2
    return found
