"""In which order the parts of two versions come, and what both did to the same of them.

New parts stand behind the part that they were put behind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from gitscalpel.edit.merge.gaps import clash, contradict, gaps
from gitscalpel.edit.merge.parts import Inside, Key, Part
from gitscalpel.text.changes import edits


class Order(msgspec.Struct, frozen=True):
    """The keys of the merged parts, and those of base parts of which both made something else."""

    keys: tuple[Key, ...]
    conflicts: tuple[Key, ...]


def matched(three: tuple[Inside, Inside, Inside]) -> tuple[Inside, Inside, Inside]:
    """The same with keys that tell which part is which, also where a name stands several times."""
    several = _unsettled(three)
    named = [[_by_text(inside, part, several) for part in inside.parts] for inside in three]
    base, *sides = named
    often = {key for parts in named for key, count in _unnamed(parts).items() if count > 1}
    aliased = [base, *(_rewritten(base, _aligned(base, side, often)) for side in sides)]
    first, second, third = (
        msgspec.structs.replace(inside, parts=tuple(parts))
        for inside, parts in zip(three, aliased, strict=True)
    )
    return first, second, third


def _unsettled(three: Sequence[Inside]) -> set[Key]:
    """Names that stand more than once somewhere, and not equally often everywhere."""
    counts = [Counter(part.key[:-1] for part in inside.parts if part.named) for inside in three]
    names = {key for count in counts for key, number in count.items() if number > 1}
    return {key for key in names if len({count[key] for count in counts}) > 1}


def _by_text(inside: Inside, part: Part, several: set[Key]) -> Part:
    if part.key[:-1] not in several:
        return part
    return msgspec.structs.replace(part, key=(*part.key[:-1], inside.text(part)), named=False)


def _unnamed(parts: list[Part]) -> Counter[Key]:
    """How often each text stands there that has nothing but its number to tell it from others."""
    return Counter(part.key[:-1] for part in parts if not part.named and isinstance(part.key[-1], int))


def _aligned(base: list[Part], side: list[Part], often: set[Key]) -> list[Part]:
    """Of statements that read the same, each is the one whose neighbours it has, whatever their number."""
    numbers: dict[Key, int] = {}
    rows = [
        [b"%d" % numbers.setdefault(part.key[:-1], len(numbers)) for part in parts] for parts in (base, side)
    ]
    same: dict[int, int] = {}
    at = to = 0
    for a, b, c, d in [*edits(*rows), (len(base), len(base), len(side), len(side))]:
        same.update(zip(range(to, c), range(at, a), strict=True))
        at, to = b, d
    new: Counter[Key] = Counter()
    found = list(side)
    for place, part in enumerate(side):
        if not part.named and (said := part.key[:-1]) in often:
            key = base[same[place]].key if place in same else (*said, "new", new[said])
            new[said] += place not in same
            found[place] = msgspec.structs.replace(part, key=key)
    return found


def _rewritten(base: list[Part], side: list[Part]) -> list[Part]:
    """A statement in the place of another one is that one, changed."""
    found = list(side)
    numbers: dict[Key, int] = {}
    keys = [[numbers.setdefault(part.key, len(numbers)) for part in parts] for parts in (base, side)]
    plain = [[b"%d" % number for number in row] for row in keys]
    for a, b, c, d in edits(*plain):
        olds = [part for part in base[a:b] if not part.named]
        news = [at for at in range(c, d) if not side[at].named]
        if len(olds) == len(news):
            for old, at in zip(olds, news, strict=True):
                if old.brings == side[at].brings and (old.symbol is None) == (side[at].symbol is None):
                    found[at] = msgspec.structs.replace(side[at], key=old.key)
    doubled = {key for key, number in Counter(part.key for part in found).items() if number > 1}
    return side if doubled else found


def merged(base: Inside, ours: Inside, theirs: Inside) -> Order | None:
    """The order of the merged parts; None where both moved parts, each to another place."""
    before, left, right = ([part.key for part in inside.parts] for inside in (base, ours, theirs))
    common = set(before) & set(left) & set(right)
    stood, mine, yours = ([key for key in keys if key in common] for keys in (before, left, right))
    if stood not in (mine, yours) and mine != yours:
        return None
    gone = set(before) - common
    new = (set(left) - set(right) - gone, set(right) - set(left) - gone)
    order = left if yours in (stood, mine) else right
    keys: list[Key] = []
    touching: list[Key] = []
    for gap in gaps([key for key in order if key not in gone | new[0] | new[1]], ours, theirs, new):
        keys += [gap.anchor] if gap.anchor is not None else []
        keys += [part.key for part in gap.parts]
        if clash(gap, ours, theirs):
            touching += [part.key for part in gap.ours]
    if contradict(ours, theirs, new):
        touching += [part.key for part in ours.parts if part.brings and part.key in new[0]]
    return Order(tuple(keys), (*_differing(base, ours, theirs), *touching))


def _differing(base: Inside, ours: Inside, theirs: Inside) -> list[Key]:
    """What both took away, if each put something else in its place."""
    fill = base.source.rules.fill.encode() if base.source.rules.blocks == "indent" else None
    kept = {part.key for side in (ours, theirs) for part in side.parts}
    instead = [_Instead(base, side) for side in (ours, theirs)]
    return [
        part.key
        for part in base.parts
        if part.key not in kept and base.text(part) != fill and instead[0].of(part) != instead[1].of(part)
    ]


class _Instead:
    """What stands in one version where parts of the base stood."""

    def __init__(self, base: Inside, side: Inside) -> None:
        kept = {part.key for part in base.parts} & {part.key for part in side.parts}
        self._side = side
        self._above: dict[Key, Key | None] = {}
        self._behind: dict[Key | None, list[Part]] = {}
        above: Key | None = None
        for part in base.parts:
            self._above[part.key] = above
            above = part.key if part.key in kept else above
        above = None
        for part in side.parts:
            if part.key in kept:
                above = part.key
            else:
                self._behind.setdefault(above, []).append(part)

    def of(self, part: Part) -> list[bytes]:
        """The texts that stand where ``part`` stood; only definitions can stand for definitions."""
        found = self._behind.get(self._above[part.key], [])
        return [self._side.text(other) for other in found if part.named or not other.named]
