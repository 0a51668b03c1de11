"""What stands between the parts of a merged file: the separators that one of its versions has there."""

from __future__ import annotations

from itertools import pairwise

from gitscalpel.edit.merge.parts import BETWEEN, Inside, Key
from gitscalpel.text.indent import indent_at
from gitscalpel.text.merge import three_way

_GAPS = BETWEEN.replace(b";", b"")
Pair = tuple[Key | None, Key | None]
"""Two neighbours; None is the beginning, or the end."""


class Spaces:
    """The separators of three versions."""

    def __init__(self, three: tuple[Inside, Inside, Inside]) -> None:
        self._three = three
        self._pairs: list[dict[Pair, bytes]] = []
        for inside in three:
            row = (None, *inside.parts, None)
            pairs = pairwise(row)
            self._pairs.append({(_key(a), _key(b)): inside.between(a, b) for a, b in pairs})
        self._before = [
            {b: space for (a, b), space in pairs.items() if a is not None} for pairs in self._pairs
        ]
        self._texts = {part.key: inside.text(part) for inside in three[::-1] for part in inside.parts}
        self._after = [
            {a: space for (a, b), space in pairs.items() if b is not None} for pairs in self._pairs
        ]

    def between(self, before: Key | None, after: Key | None) -> bytes | None:
        """The separator of two neighbours; None where the versions contradict each other."""
        base, ours, theirs = (pairs.get((before, after)) for pairs in self._pairs)
        if ours is not None and theirs is not None:
            found = three_way(ours if base is None else base, ours, theirs)
            if found is None and ours.split() == theirs.split():
                found = ours
        else:
            found = next((space for space in (ours, theirs, base) if space is not None), None)
            if found is None:
                found = self._borrowed(before, after)
        if found is None or (before is not None and after is not None):
            return found
        return found if self._is_whole(found, 0 if before is None else 1) else None

    def _is_whole(self, found: bytes, end: int) -> bool:
        """Whether what opens or closes the block, which is more than white space, is as it should be."""
        held = [
            next(s for pair, s in pairs.items() if pair[end] is None).strip(BETWEEN) for pairs in self._pairs
        ]
        return found.strip(BETWEEN) == three_way(held[0], held[1], held[2])

    def _borrowed(self, before: Key | None, after: Key | None) -> bytes | None:
        """What parts one of the two from another neighbour."""
        if before is None or after is None:
            return self._edge(before, after)
        near, far = _first(self._before, after), _first(self._after, before)
        spans = any(b"\n" in self._text(key).strip() for key in (before, after))
        # What stands on several lines keeps the distance that it has to its other neighbour.
        more = [_first(self._before, before), _first(self._after, after)] if spans else []
        allowed = BETWEEN if self._three[0].source.rules.separator == b";" else _GAPS
        found = [space for space in (near, far, *more) if space is not None and not space.strip(allowed)]
        if not found:
            return self._usual(before, after)
        lines = [space.count(b"\n") for space in found]
        return found[lines.index(max(lines) if spans else min(lines))]

    def _edge(self, before: Key | None, after: Key | None) -> bytes | None:
        """What stands at the beginning or end of a version that is not empty."""
        for pairs in (self._pairs[1], self._pairs[2], self._pairs[0]):
            for (a, b), space in pairs.items():
                if (a is None) == (before is None) and (b is None) == (after is None):
                    return space
        return None

    def _usual(self, before: Key, after: Key) -> bytes | None:
        """The separator where no version shows one: between the first two parts of what was empty."""
        inside, part = next((i, p) for i in self._three[::-1] for p in i.parts if p.key == after)
        rules = inside.source.rules
        if rules.data:
            return None
        indent = indent_at(inside.source.text, part.start)
        spans = any(b"\n" in self._text(key).strip() for key in (before, after))
        gap = (rules.gap if indent else rules.top_gap) if spans else 0
        return b"\n" * (1 + gap) + indent

    def _text(self, key: Key) -> bytes:
        return self._texts[key]


def _first(spaces: list[dict[Key | None, bytes]], key: Key) -> bytes | None:
    """A separator beside a part, theirs before ours."""
    return next((found[key] for found in reversed(spaces) if key in found), None)


def _key(part: object) -> Key | None:
    return getattr(part, "key", None)
