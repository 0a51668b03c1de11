"""A unified diff of two texts, in git's format.

The lines are those that ``git diff`` takes away and adds (``changes.py``). Behind the ``@@`` of a hunk git
says in which function it is; here it says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

import msgspec

from gitscalpel.text.changes import Range, changes

CONTEXT = 3


class Counted(msgspec.Struct, frozen=True):
    """The hunks of a diff, and how many lines they add and remove."""

    hunks: str
    added: int
    removed: int


def diff(before: bytes, after: bytes) -> Counted:
    """The hunks that take ``before`` to ``after``; bytes that are no UTF-8 are shown as U+FFFD."""
    old, new = _rows(before), _rows(after)
    found = changes(old, new)
    out: list[str] = []
    for group in _grouped(found):
        out += _hunk(old, new, group)
    return Counted("".join(out), sum(d - c for _, _, c, d in found), sum(b - a for a, b, _, _ in found))


def _rows(text: bytes) -> list[bytes]:
    return BytesIO(text).readlines()


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


def _hunk(old: list[bytes], new: list[bytes], group: list[Range]) -> Iterator[str]:
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


def _row(sign: str, line: bytes) -> str:
    text = sign + line.decode("utf-8", "replace")
    return text if line.endswith(b"\n") else f"{text}\n\\ No newline at end of file\n"
