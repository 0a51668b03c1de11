"""A unified diff of two texts, in git's format.

The common head and tail are cut off first, so the cost follows the change and
not the file; what is left is compared by :mod:`difflib`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

CONTEXT = 3
Range = tuple[int, int, int, int]


class Counted(NamedTuple):
    """The hunks of a diff, and how many lines they add and remove."""

    hunks: str
    added: int
    removed: int


def diff(before: bytes, after: bytes) -> Counted:
    """The hunks that take ``before`` to ``after``; bytes that are no UTF-8 are shown as U+FFFD."""
    old, new = _lines(before), _lines(after)
    found = changes(old, new)
    out: list[str] = []
    for group in _grouped(found):
        out += _hunk(old, new, group)
    return Counted("".join(out), sum(d - c for _, _, c, d in found), sum(b - a for a, b, _, _ in found))


def shift(old: Sequence[bytes], new: Sequence[bytes], start: int, end: int) -> int | None:
    """By how much the lines ``[start, end)`` of ``old``, counted from 0, moved.

    None if they changed, or if they may be in either of two places: where a diff that begins at the
    top puts them, and one that begins at the bottom.
    """
    m, n = len(old), len(new)
    upward = [(m - b, m - a, n - d, n - c) for a, b, c, d in changes(old[::-1], new[::-1])]
    found = {_shifted(ranges, start, end) for ranges in (changes(old, new), upward)} - {None}
    return found.pop() if len(found) == 1 else None


def _shifted(ranges: Iterable[Range], start: int, end: int) -> int | None:
    moved = 0
    for a, b, c, d in ranges:
        if b <= start:
            moved += (d - c) - (b - a)
        elif a < end:
            return None
    return moved


Lines = TypeVar("Lines", bytes, str)


def changes(old: Sequence[Lines], new: Sequence[Lines]) -> list[Range]:
    """Which lines ``[a, b)`` of ``old`` became ``[c, d)`` of ``new``, in order."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    middle = (old[head : len(old) - tail], new[head : len(new) - tail])
    codes = difflib.SequenceMatcher(None, *middle, autojunk=False).get_opcodes()
    return [(a + head, b + head, c + head, d + head) for tag, a, b, c, d in codes if tag != "equal"]


def _lines(text: bytes) -> list[str]:
    lines = text.decode("utf-8", "replace").split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _common(old: Sequence[Lines], new: Sequence[Lines]) -> int:
    count = 0
    for left, right in zip(old, new, strict=False):
        if left != right:
            break
        count += 1
    return count


def _grouped(ranges: list[Range]) -> Iterator[list[Range]]:
    """Changes whose context touches belong to one hunk."""
    group: list[Range] = []
    for change in ranges:
        if group and change[0] - group[-1][1] > 2 * CONTEXT:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(old: list[str], new: list[str], group: list[Range]) -> Iterator[str]:
    first, last = group[0], group[-1]
    old_start, new_start = max(0, first[0] - CONTEXT), max(0, first[2] - CONTEXT)
    new_start = first[2] - (first[0] - old_start)
    old_end = min(len(old), last[1] + CONTEXT)
    new_end = last[3] + (old_end - last[1])
    yield f"@@ -{_range(old_start, old_end)} +{_range(new_start, new_end)} @@\n"
    at = old_start
    for a, b, c, d in group:
        yield from (_row(" ", line) for line in old[at:a])
        yield from (_row("-", line) for line in old[a:b])
        yield from (_row("+", line) for line in new[c:d])
        at = b
    yield from (_row(" ", line) for line in old[at:old_end])


def _range(start: int, end: int) -> str:
    length = end - start
    return f"{start + 1 if length else start}" + (f",{length}" if length != 1 else "")


def _row(sign: str, line: str) -> str:
    return sign + line if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"
