"""In which order the parts of two versions come, and what both did to the same of them.

New parts stand behind the part that they were put behind; where both put some there, ours come first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from gitscalpel.edit.merge.parts import Inside, Key, Part
from gitscalpel.text.diff import changes


class Order(NamedTuple):
    """The keys of the merged parts, and those of base parts of which both made something else."""

    keys: tuple[Key, ...]
    conflicts: tuple[Key, ...]


def matched(three: tuple[Inside, Inside, Inside]) -> tuple[Inside, Inside, Inside]:
    """The same with keys that tell which part is which, also where a name stands several times."""
    several = _unsettled(three)
    named = [[_by_text(inside, part, several) for part in inside.parts] for inside in three]
    base, *sides = named
    aliased = [base, *(_rewritten(base, side) for side in sides)]
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


def _rewritten(base: list[Part], side: list[Part]) -> list[Part]:
    """A statement in the place of another one is that one, changed."""
    found = list(side)
    numbers: dict[Key, int] = {}
    keys = [[numbers.setdefault(part.key, len(numbers)) for part in parts] for parts in (base, side)]
    plain = [[b"%d" % number for number in row] for row in keys]
    for a, b, c, d in changes(*plain):
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
    first, second = (left, right) if yours in (stood, mine) else (right, left)
    gone = set(before) - common
    kept = {*left, *right}
    lost = [key for key in before if key not in kept]
    keys = [key for key in first if key not in gone]
    news = _News(set(first) - set(second) - gone, set(second) - set(first) - gone, second is right)
    touching = list(_interleave(keys, second, news, (ours, theirs)))
    differing = [key for key in lost if _differ(key, base, ours, theirs)]
    return Order(tuple(keys), (*differing, *touching))


class _News(NamedTuple):
    """What only the first and only the second version has, and whether the former comes first."""

    first: set[Key]
    second: set[Key]
    behind: bool


def _interleave(
    keys: list[Key], second: list[Key], news: _News, sides: tuple[Inside, Inside]
) -> Iterator[Key]:
    """Put what is new in the second version into ``keys``, the parts of the first that stay.

    Yields:
        statements beside which the other put one as well: nobody can tell which is to run first.
    """
    brings = {part.key for side in sides for part in side.parts if part.brings}
    plain = {part.key for side in sides for part in side.parts if not part.named} - brings
    there = set(keys)
    anchor: Key | None = None
    for key in second:
        if key in news.second:
            at = end = 0 if anchor is None else keys.index(anchor) + 1
            while anchor not in news.second and end < len(keys) and keys[end] in news.first:
                if key in brings and keys[end] not in brings:
                    break
                end += 1
            if key in plain and plain & set(keys[at:end]):
                yield key
            keys.insert(end if news.behind else at, key)
        if key in there or key in news.second:
            anchor = key


def _differ(key: Key, base: Inside, ours: Inside, theirs: Inside) -> bool:
    """Whether both took a part away, and each put something else in its place."""
    part = next(part for part in base.parts if part.key == key)
    fill = base.source.rules.fill.encode()
    if base.source.rules.blocks == "indent" and base.text(part) == fill:
        return False
    left, right = (_instead(part, base, side) for side in (ours, theirs))
    return left != right


def _instead(part: Part, base: Inside, side: Inside) -> list[bytes]:
    """What stands where a part stood."""
    known = {p.key for p in base.parts}
    kept = {p.key for p in side.parts} & known
    keys = [p.key for p in base.parts]
    at = keys.index(part.key)
    above = next((k for k in reversed(keys[:at]) if k in kept), None)
    found: list[bytes] = []
    inside = above is None
    for other in side.parts:
        if other.key in kept:
            if inside:
                break
            inside = other.key == above
        elif inside and (part.named or not other.named):
            found.append(side.text(other))
    return found
