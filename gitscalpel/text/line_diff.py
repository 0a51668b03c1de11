"""Line diff as git computes it: patience anchors, Myers' algorithm, and slider heuristics.

The hunks are those of git's defaults (``diff.algorithm`` myers, ``diff.indentHeuristic`` on), with the ties
and limits of its xdiff. Only texts in which hardly a line stayed may differ: see ``STEPS``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, count
from typing import NamedTuple, TypeVar

import msgspec

_MOST = 100  # maximum lines by which a group moves up to where it reads best
_DEEP, _BLANKS = 200, 20
_TAB = 8


class DiffSide:
    """One of the two texts, with its current group of changed lines ``[start, end)``, which may be empty.

    Groups are numbered by the unchanged lines before them, which are as many in the other text.
    """

    def __init__(self, lines: Sequence[object], changed: bytearray) -> None:
        """Start at the first group; ``changed`` has a 1 for each changed line, and a final 0."""
        self.lines, self.changed = lines, changed
        self.start, self.end = 0, changed.index(0)

    def skip(self, unchanged: int) -> None:
        """Advance over this many unchanged lines to the next group."""
        at = self.end
        while True:
            next_one = self.changed.find(1, at)
            if next_one < 0 or next_one - at >= unchanged:
                break
            unchanged -= next_one - at
            at = self.changed.index(0, next_one)
        self.start = at + unchanged
        self.end = self.changed.index(0, self.start)

    def go_back(self) -> None:
        """Go back to the group before the preceding unchanged line."""
        self.end = self.start - 1
        self.start = self.changed.rfind(0, 0, self.end) + 1

    def move_up(self) -> bool:
        """Move the group up by a line and join an adjacent group, if the text stays the same."""
        if not self.start or self.lines[self.start - 1] != self.lines[self.end - 1]:
            return False
        self.start, self.end = self.start - 1, self.end - 1
        self.changed[self.start], self.changed[self.end] = 1, 0
        self.start = self.changed.rfind(0, 0, self.start) + 1
        return True

    def move_down(self) -> bool:
        """Move the group down by a line and join an adjacent group, if the text stays the same."""
        if self.end >= len(self.lines) or self.lines[self.start] != self.lines[self.end]:
            return False
        self.changed[self.start], self.changed[self.end] = 0, 1
        self.start, self.end = self.start + 1, self.changed.index(0, self.end)
        return True


def settle_groups(side: DiffSide, other: DiffSide, lines: Sequence[bytes] | None) -> None:
    """Move every group of ``side`` to its final position, while those of ``other`` stay.

    Of a ``}`` and a blank line added below the same pair, either may be the new one. As in git, groups are
    joined where possible, aligned with a change in the other text, or placed where their indentation reads
    best. Without ``lines``, the text of the side, groups move down as far as possible.
    """
    while True:
        if side.start < side.end:
            _settle_all(side, other, lines)
        at = side.changed.find(1, side.end)
        if at < 0:
            return
        other.skip(at - side.end)
        side.skip(at - side.end)


def _settle_all(side: DiffSide, other: DiffSide, lines: Sequence[bytes] | None) -> None:
    while True:
        size = side.end - side.start
        while side.move_up():
            other.go_back()
        first_end = side.end
        is_beside_group = other.start < other.end
        while side.move_down():
            other.skip(1)
            is_beside_group |= other.start < other.end
        if side.end - side.start == size:
            break
    if side.end == first_end:
        return
    if is_beside_group:
        while other.start == other.end and side.move_up():
            other.go_back()
    elif lines is not None:
        best = _choose_end(lines, side.end, size, max(first_end, side.end - size - 1, side.end - _MOST))
        while side.end > best and side.move_up():
            other.go_back()


def _choose_end(lines: Sequence[bytes], lowest: int, size: int, highest: int) -> int:
    best, best_score = lowest, None
    for end in range(highest, lowest + 1):
        below, above = _score_border(lines, end), _score_border(lines, end - size)
        score = _Score(below.indent + above.indent, below.penalty + above.penalty)
        if best_score is None or not score.is_worse(best_score):
            best, best_score = end, score
    return best


class _Score(msgspec.Struct, frozen=True):
    indent: int
    penalty: int

    def is_worse(self, other: _Score) -> bool:
        """Return True if this border is worse: deeper, unless the penalties say otherwise."""
        deeper = (self.indent > other.indent) - (self.indent < other.indent)
        return 60 * deeper + self.penalty - other.penalty > 0


def _score_border(lines: Sequence[bytes], at: int) -> _Score:
    """Return the penalty for a border above line ``at`` (from 0)."""
    indent = _measure_line(lines[at]) if at < len(lines) else None
    above, before = _measure_indent(lines, range(at - 1, -1, -1))
    below, after = _measure_indent(lines, range(at + 1, len(lines)))
    penalty = (before is None and not above) + 21 * (at >= len(lines))
    following = 0
    if indent is None:
        indent = after
        following = below + 1
    blanks = above + following
    penalty += 6 * following - 30 * blanks
    if indent is None:
        return _Score(-1, penalty)
    if before is not None and indent != before:
        penalty += _score_step(indent, before, after, bool(blanks))
    return _Score(indent, penalty)


def _score_step(indent: int, before: int, after: int | None, blank: bool) -> int:
    if indent > before:
        return 10 if blank else -4
    if after is not None and after > indent:
        return 17 if blank else 24
    return 17 if blank else 23


def _measure_indent(lines: Sequence[bytes], numbers: range) -> tuple[int, int | None]:
    """Return the number of leading blank lines, and the depth of the next line or None."""
    for blanks, number in enumerate(numbers):
        indent = _measure_line(lines[number])
        if indent is not None:
            return blanks, indent
        if blanks + 1 == _BLANKS:
            return _BLANKS, 0
    return len(numbers), None


def _measure_line(line: bytes) -> int | None:
    """Return the depth of a line with tabs of 8 columns, or None if it is blank."""
    start = line[: len(line) - len(line.lstrip(b" \t\r\n"))]
    columns = min(len(start.translate(None, b"\r\n").expandtabs(_TAB)), _DEEP)
    return None if len(start) == len(line) and columns < _DEEP else columns


_LONG = 256  # minimum number of edits after which the search may accept a longer script
_SNAKE = 20  # length of a run of equal items at which the search may stop
_GOOD = 4  # minimum average progress of an edit for stopping at such a run
_FAR = 1 << 60
Point = tuple[int, int]


class Box(NamedTuple):
    """Items ``[left, right)`` of the old and ``[top, bottom)`` of the new sequence.

    ``exact`` is True if only the shortest edit script is accepted; it is known to be short.
    """

    left: int
    right: int
    top: int
    bottom: int
    exact: bool = False


class DiagonalReach:
    """Furthest points reached on each diagonal of two sequences, from the beginning and from the end.

    Attributes:
        longest: number of edits after which the search for the shortest script stops.
        steps: number of comparisons made so far.
    """

    def __init__(self, old: Sequence[int], new: Sequence[int]) -> None:
        self.old, self.new = old, new
        self.zero = len(new) + 1
        diagonals = len(old) + len(new) + 3
        self.ahead, self.back = [0] * diagonals, [0] * diagonals
        self.longest = max(_LONG, approximate_root(diagonals))
        self.steps = 0


class BoxSplit:
    """A box that is split where the searches from its two corners meet."""

    def __init__(self, reach: DiagonalReach, box: Box) -> None:
        self.reach, self.box = reach, box
        first, last = box.left - box.top, box.right - box.bottom
        self.least, self.most = box.left - box.bottom, box.right - box.top
        self.ahead, self.back = (first, first), (last, last)
        self.odd = bool((first - last) & 1)
        reach.ahead[first + reach.zero] = box.left
        reach.back[last + reach.zero] = box.right

    def split(self) -> list[Box]:
        """Return two smaller boxes; everything outside them is equal."""
        edits = 0
        while True:
            edits += 1
            self.reach.steps += edits
            meeting = self._search_forward()
            snake = self._saw_long_run
            if meeting is None:
                meeting = self._search_backward()
                snake |= self._saw_long_run
            if meeting is not None:
                return self._split_box(*meeting, True, True)
            if not self.box.exact:
                boxes = self._split_at_run(edits) if snake and edits > _LONG else None
                if boxes is None and edits >= self.reach.longest:
                    boxes = self._split_furthest()
                if boxes is not None:
                    return boxes

    def _split_box(self, x: int, y: int, above: bool, below: bool) -> list[Box]:
        left, right, top, bottom, _ = self.box
        return [Box(left, x, top, y, above), Box(x, right, y, bottom, below)]

    def _widen(self, span: tuple[int, int], reached: list[int], beyond: int) -> tuple[int, int]:
        """Return the span with one more diagonal on either side, or one fewer at the edge of the box."""
        low, high = span
        zero = self.reach.zero
        low = low - 1 if low > self.least else low + 1
        high = high + 1 if high < self.most else high - 1
        if low < span[0]:
            reached[low - 1 + zero] = beyond
        if high > span[1]:
            reached[high + 1 + zero] = beyond
        return low, high

    def _search_forward(self) -> tuple[int, int] | None:
        """Extend the search from the beginning by one edit; return the meeting point, if any."""
        _, right, _, bottom, _ = self.box
        old, new, ahead, back = self.reach.old, self.reach.new, self.reach.ahead, self.reach.back
        self.ahead = low, high = self._widen(self.ahead, ahead, -1)
        zero, (first, last) = self.reach.zero, self.back if self.odd else (1, 0)
        self._saw_long_run = False
        for at in range(high + zero, low + zero - 1, -2):
            x = ahead[at - 1] + 1 if ahead[at - 1] >= ahead[at + 1] else ahead[at + 1]
            begun, y = x, x - at + zero
            while x < right and y < bottom and old[x] == new[y]:
                x, y = x + 1, y + 1
            self._saw_long_run |= x - begun > _SNAKE
            ahead[at] = x
            if first <= at - zero <= last and back[at] <= x:
                return x, y
        return None

    def _search_backward(self) -> tuple[int, int] | None:
        """Extend the search from the end by one edit; return the meeting point, if any."""
        left, _, top, _, _ = self.box
        old, new, ahead, back = self.reach.old, self.reach.new, self.reach.ahead, self.reach.back
        self.back = low, high = self._widen(self.back, back, _FAR)
        zero, (first, last) = self.reach.zero, (1, 0) if self.odd else self.ahead
        self._saw_long_run = False
        for at in range(high + zero, low + zero - 1, -2):
            x = back[at - 1] if back[at - 1] < back[at + 1] else back[at + 1] - 1
            begun, y = x, x - at + zero
            while x > left and y > top and old[x - 1] == new[y - 1]:
                x, y = x - 1, y - 1
            self._saw_long_run |= begun - x > _SNAKE
            back[at] = x
            if first <= at - zero <= last and x <= ahead[at]:
                return x, y
        return None

    def _iter_points(self, reached: list[int], span: tuple[int, int]) -> Iterator[tuple[int, int]]:
        low, high = span
        for d in range(high, low - 1, -2):
            x = reached[d + self.reach.zero]
            yield x, x - d

    def _split_at_run(self, edits: int) -> list[Box] | None:
        """Split at the end of a long equal run that has made much progress, if there is one."""
        left, right, top, bottom, _ = self.box
        places = list(self._iter_points(self.reach.ahead, self.ahead))
        far = [x - left + y - top - abs(x - y - left + top) for x, y in places]
        ends = [left + _SNAKE <= x < right and top + _SNAKE <= y < bottom for x, y in places]
        point = self._choose_end(edits, places, far, ends, -_SNAKE)
        if point is not None:
            return self._split_box(*point, True, False)
        places = list(self._iter_points(self.reach.back, self.back))
        far = [right - x + bottom - y - abs(x - y - right + bottom) for x, y in places]
        ends = [left < x <= right - _SNAKE and top < y <= bottom - _SNAKE for x, y in places]
        point = self._choose_end(edits, places, far, ends, 0)
        return None if point is None else self._split_box(*point, False, True)

    def _choose_end(
        self, edits: int, places: list[Point], far: list[int], ends: list[bool], begins: int
    ) -> Point | None:
        """Return the point with the most progress that adjoins an equal run, as ``ends`` marks, or None."""
        old, new = self.reach.old, self.reach.new
        best, best_point = _GOOD * edits, None
        for (x, y), gained, may_end in zip(places, far, ends, strict=True):
            a, c = x + begins, y + begins
            if may_end and gained > best and old[a : a + _SNAKE] == new[c : c + _SNAKE]:
                best, best_point = gained, (x, y)
        return best_point

    def _split_furthest(self) -> list[Box]:
        left, right, top, bottom, _ = self.box
        ahead, back = (
            list(self._iter_points(reached, span))
            for reached, span in ((self.reach.ahead, self.ahead), (self.reach.back, self.back))
        )
        down = [(min(x, right, bottom + x - y), x - y) for x, y in ahead]
        up = [(max(x, left, top + x - y), x - y) for x, y in back]
        x, d = max(down, key=lambda at: 2 * at[0] - at[1])
        v, e = min(up, key=lambda at: 2 * at[0] - at[1])
        if right + bottom - (2 * v - e) < 2 * x - d - (left + top):
            return self._split_box(x, x - d, True, False)
        return self._split_box(v, v - e, False, True)


def approximate_root(number: int) -> int:
    """Return a power of two near the square root."""
    root = 1
    while number:
        root, number = root * 2, number >> 2
    return root


HashableItem = TypeVar("HashableItem", bytes, str, int)


class Run(NamedTuple):
    """A run of items that all texts share: its start in each text, and its length."""

    starts: tuple[int, ...]
    length: int


def iter_common_runs(texts: Sequence[Sequence[HashableItem]]) -> Iterator[Run]:
    """Yield the runs that all texts share, in order; of moved items, the longest ordered selection stays."""
    places = [_index_unique(text) for text in texts]
    shared = [item for item in places[0] if all(item in place for place in places)]
    for place in places[1:]:
        stays = longest_ascending(place[item] for item in shared)
        shared = [item for item in shared if place[item] in stays]
    ends = (0,) * len(texts)
    for item in shared:
        at = tuple(place[item] for place in places)
        if at[0] < ends[0]:
            continue
        above = _count_equal_above(texts, at, ends)
        starts = tuple(one - above for one in at)
        length = above + _count_equal_below(texts, at)
        ends = tuple(start + length for start in starts)
        yield Run(starts, length)


def common_prefix_length(old: Sequence[HashableItem], new: Sequence[HashableItem]) -> int:
    """Return the length of the common prefix, by galloping search."""
    at, step, most = 0, 1, min(len(old), len(new))
    while step:
        if at + step <= most and old[at : at + step] == new[at : at + step]:
            at, step = at + step, step * 2
        else:
            step //= 2
    return at


def longest_ascending(numbers: Iterable[int]) -> set[int]:
    """Return the longest ascending subsequence of distinct numbers (by patience sorting)."""
    tops: list[int] = []
    below: dict[int, int | None] = {}
    for number in numbers:
        at = bisect_left(tops, number)
        below[number] = tops[at - 1] if at else None
        tops[at : at + 1] = [number]
    ascending: set[int] = set()
    top = tops[-1] if tops else None
    while top is not None:
        ascending.add(top)
        top = below[top]
    return ascending


def _index_unique(items: Sequence[HashableItem]) -> dict[HashableItem, int]:
    counts = Counter(items)
    return {item: at for at, item in enumerate(items) if counts[item] == 1}


def _count_equal_above(
    texts: Sequence[Sequence[HashableItem]], at: tuple[int, ...], ends: tuple[int, ...]
) -> int:
    """Return the number of equal items directly before ``at``, not beyond ``ends``."""
    most, count = min(a - e for a, e in zip(at, ends, strict=True)), 0
    while count < most and len({text[a - count - 1] for text, a in zip(texts, at, strict=True)}) == 1:
        count += 1
    return count


def _count_equal_below(texts: Sequence[Sequence[HashableItem]], at: tuple[int, ...]) -> int:
    most, count = min(len(text) - a for text, a in zip(texts, at, strict=True)), 1
    while count < most and len({text[a + count] for text, a in zip(texts, at, strict=True)}) == 1:
        count += 1
    return count


STEPS = 1_000_000  # comparisons, about a second's worth, before the search becomes rough
SHORT = 16  # edits after which a rough search splits
Spans = list[tuple[int, int]]


def find_changed_spans(old: Sequence[int], new: Sequence[int]) -> tuple[Spans, Spans]:
    """Return the ranges of items without a partner in the other sequence, unordered.

    The shortest edit script is searched in linear space from both ends, and split where the searches meet:
    Myers, An O(ND) Difference Algorithm and Its Variations, 1986.
    """
    reach = DiagonalReach(old, new)
    removed: Spans = []
    added: Spans = []
    waiting = [Box(0, len(old), 0, len(new))]
    while waiting:
        if reach.steps > STEPS and reach.longest > SHORT:
            reach.longest = SHORT
            waiting = [part for box in waiting for part in _iter_between_anchors(box, old, new)]
        box = _shrink(waiting.pop(), old, new)
        if box.left == box.right:
            added.append((box.top, box.bottom))
        elif box.top == box.bottom:
            removed.append((box.left, box.right))
        else:
            waiting += BoxSplit(reach, box).split()
    return removed, added


def _iter_between_anchors(box: Box, old: Sequence[int], new: Sequence[int]) -> Iterator[Box]:
    """Yield the boxes between items that occur once in each sequence."""
    left, right, top, bottom, exact = box
    runs = iter_common_runs((old[left:right], new[top:bottom])) if not exact else ()
    for (x, y), length in runs:
        yield Box(left, box.left + x, top, box.top + y)
        left, top = box.left + x + length, box.top + y + length
    yield Box(left, right, top, bottom, exact)


def _shrink(box: Box, old: Sequence[int], new: Sequence[int]) -> Box:
    left, right, top, bottom, exact = box
    while left < right and top < bottom and old[left] == new[top]:
        left, top = left + 1, top + 1
    while left < right and top < bottom and old[right - 1] == new[bottom - 1]:
        right, bottom = right - 1, bottom - 1
    return Box(left, right, top, bottom, exact)


Item = TypeVar("Item", bytes, str)
Range = tuple[int, int, int, int]
_OFTEN = 1024  # occurrences of a frequent line, or the square root of the text's length if that is less
_NEAR = 100  # lines around a frequent line that decide if it is isolated
_AMONG = 4  # an isolated line has more than three unpartnered lines around it for each frequent one
_NONE, _SOME, _MANY = 0, 1, 2  # occurrences of a line in the other text
_BETWEEN_LOST = re.compile(rb"\x00[\x00\x02]*\x00")
_SWAPPED = bytes([1, 0, *range(2, 256)])


def diff_lines(old: Sequence[bytes], new: Sequence[bytes]) -> list[Range]:
    """Return the ranges ``[a, b)`` of ``old`` that became ``[c, d)`` of ``new``, as git's default diff."""
    return _settle_lines(old, new, old, new)


def diff_items(old: Sequence[Item], new: Sequence[Item]) -> list[Range]:
    """Return the changed ranges of any items, each as far down as possible, as for git's merge."""
    return _settle_lines(old, new, None, None)


def find_line_shift(old: Sequence[bytes], new: Sequence[bytes], start: int, end: int) -> int | None:
    """Return the distance by which the lines ``[start, end)`` of ``old`` (from 0) moved.

    None if they changed, or if their place is ambiguous: the diff with all changes as far down as possible
    and the one with all changes as far up as possible disagree.
    """
    m, n = len(old), len(new)
    downward = diff_items(old, new)
    upward = [(m - b, m - a, n - d, n - c) for a, b, c, d in diff_items(old[::-1], new[::-1])]
    shifts = {_shift_group(ranges, start, end) for ranges in (downward, upward[::-1])} - {None}
    return shifts.pop() if len(shifts) == 1 else None


def _shift_group(ranges: Iterable[Range], start: int, end: int) -> int | None:
    moved = 0
    for a, b, c, d in ranges:
        if b <= start:
            moved += (d - c) - (b - a)
        elif a < end:
            return None
    return moved


def _settle_lines(
    old: Sequence[Item],
    new: Sequence[Item],
    old_lines: Sequence[bytes] | None,
    new_lines: Sequence[bytes] | None,
) -> list[Range]:
    removed, added = _mark_changes(old, new)
    settle_groups(DiffSide(old, removed), DiffSide(new, added), old_lines)
    settle_groups(DiffSide(new, added), DiffSide(old, removed), new_lines)
    return list(_iter_ranges(removed, added))


def _mark_changes(old: Sequence[Item], new: Sequence[Item]) -> tuple[bytearray, bytearray]:
    """Return marks for both texts: 1 for each item without a partner, and a final 0."""
    head = common_prefix_length(old, new)
    tail = common_prefix_length(old[head:][::-1], new[head:][::-1])
    left: Sequence[Item] = old[head : len(old) - tail]
    right: Sequence[Item] = new[head : len(new) - tail]
    lefts, rights = _mark_partnered(left, old, new), _mark_partnered(right, new, old)
    numbers: dict[Item, int] = dict(zip(set(left).union(right), count(), strict=False))
    removed, added = find_changed_spans(
        [numbers[item] for item in compress(left, lefts)], [numbers[item] for item in compress(right, rights)]
    )
    ends = b"\0" * head, b"\0" * (tail + 1)
    return _mark_unpartnered(ends, lefts, removed), _mark_unpartnered(ends, rights, added)


def _mark_unpartnered(
    ends: tuple[bytes, bytes], partnered: bytes, changed: Iterable[tuple[int, int]]
) -> bytearray:
    """Return the marks of a text: 1 for items without a partner and for those that ``changed`` lists."""
    places = [number for number, is_kept in enumerate(partnered) if is_kept]
    marks = bytearray(partnered.translate(_SWAPPED))
    for first, last in changed:
        for number in range(first, last):
            marks[places[number]] = 1
    return bytearray(ends[0]) + marks + ends[1]


def _mark_partnered(part: Sequence[Item], own: Sequence[Item], other: Sequence[Item]) -> bytes:
    """Return a 1 for each item of ``part`` (of the text ``own``) that may have a partner in ``other``."""
    items = set(part)
    counts = Counter(filter(items.__contains__, other))
    many = min(approximate_root(len(own)), _OFTEN)
    kind_of = {item: _NONE if not (n := counts[item]) else _MANY if n >= many else _SOME for item in items}
    kinds = bytes(map(kind_of.__getitem__, part))
    partnered = bytearray(kinds.replace(b"\x02", b"\x01"))
    for among in _BETWEEN_LOST.finditer(kinds):
        for at in range(*among.span()):
            if kinds[at] == _MANY and _is_isolated(kinds, at):
                partnered[at] = 0
    return bytes(partnered)


def _is_isolated(kinds: bytes, at: int) -> bool:
    """Return True if a frequent item is surrounded by items without a partner."""
    first = max(0, at - _NEAR, kinds.rfind(_SOME, 0, at) + 1)
    last = kinds.find(_SOME, at, at + _NEAR + 1)
    last = min(len(kinds), at + _NEAR + 1) if last < 0 else last
    above, below = kinds.count(_NONE, first, at), kinds.count(_NONE, at + 1, last)
    many = last - first + 1 - above - below
    return above > 0 and below > 0 and many * _AMONG < many + above + below


def _iter_ranges(removed: bytearray, added: bytearray) -> Iterator[Range]:
    a = c = 0
    while True:
        b, d = removed.find(1, a), added.find(1, c)
        if b < 0 and d < 0:
            return
        same = min(b - a if b >= 0 else len(removed), d - c if d >= 0 else len(added))
        a, c = a + same, c + same
        b, d = removed.index(0, a), added.index(0, c)
        yield a, b, c, d
        a, c = b, d
