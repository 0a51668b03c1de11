"""The places that ``@@`` lines without numbers name: lines, and what stands in their block or below them.

How such a line is typed, and the white space around it, does not count: it only says where to look.
A title may be cut off, as git cuts it, and is then the beginning of a line.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from gitscalpel.text.strategies import typographic

Anchor = tuple[bytes, ...]


class Reach(msgspec.Struct, frozen=True):
    """Where an anchor stands: its first line, the line below its last one, and the end of its block."""

    first: int
    below: int
    end: int


def reaches(lines: Sequence[bytes], anchors: Sequence[Anchor]) -> list[Reach]:
    """Every place of the last of ``anchors``: in the blocks of those before it, else below them."""
    plain = [typographic(line) for line in lines]
    found = [Reach(0, 0, len(lines))]
    for anchor in anchors:
        wanted = [typographic(line) for line in anchor]
        places = _equal(plain, wanted) or _begun(plain, wanted)
        inside = [at for at in places if any(reach.first <= at < reach.end for reach in found)]
        below = [at for at in places if any(reach.below <= at for reach in found)]
        found = [_reach(lines, at, len(anchor)) for at in inside or below]
    return found


def _equal(plain: Sequence[bytes], wanted: Sequence[bytes]) -> list[int]:
    count = len(wanted)
    return [at for at in range(len(plain)) if plain[at] == wanted[0] and [*plain[at : at + count]] == wanted]


def _begun(plain: Sequence[bytes], wanted: Sequence[bytes]) -> list[int]:
    if len(wanted) != 1:
        return []
    return [at for at, line in enumerate(plain) if line.startswith(wanted[0])]


def _reach(lines: Sequence[bytes], at: int, count: int) -> Reach:
    last = at + count - 1
    return Reach(at, last + 1, _end(lines, last))


def _end(lines: Sequence[bytes], start: int) -> int:
    """The first line after ``start`` that is not indented deeper, blank ones aside."""
    depth = _depth(lines[start])
    rest = range(start + 1, len(lines))
    return next((n for n in rest if lines[n].strip() and _depth(lines[n]) <= depth), len(lines))


def _depth(line: bytes) -> int:
    return len(line) - len(line.lstrip())
