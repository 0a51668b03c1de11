"""The blocks that ``@@`` lines without numbers name: a line, and what is indented below it."""

from __future__ import annotations

from collections.abc import Sequence


def blocks(lines: Sequence[bytes], anchors: Sequence[bytes]) -> list[tuple[int, int]]:
    """From the line that the last of ``anchors`` names to the end of its block, wherever that is.

    Each anchor is looked for in the blocks of those before it; the white space around it does not
    count, since it only says where to look.
    """
    found = [(0, len(lines))]
    for anchor in anchors:
        wanted = anchor.strip()
        starts = {n for first, last in found for n in range(first, last) if lines[n].strip() == wanted}
        found = [(n, _end(lines, n)) for n in sorted(starts)]
    return found


def _end(lines: Sequence[bytes], start: int) -> int:
    """The first line after ``start`` that is not indented deeper, blank ones aside."""
    depth = _depth(lines[start])
    rest = range(start + 1, len(lines))
    return next((n for n in rest if lines[n].strip() and _depth(lines[n]) <= depth), len(lines))


def _depth(line: bytes) -> int:
    return len(line) - len(line.lstrip())
