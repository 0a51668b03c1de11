"""What two sides put between the parts that both have, and whether it goes together there.

Ours comes first. Imports stand above the rest; of statements nobody can tell which is to run first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gitscalpel.edit.merge import imports
from gitscalpel.edit.merge.parts import Inside, Key, Part
from gitscalpel.syntax.symbols import BINDINGS


class Gap(NamedTuple):
    """What only ours and only theirs has behind a part that both have; None: at the beginning."""

    anchor: Key | None
    ours: list[Part]
    theirs: list[Part]

    @property
    def parts(self) -> list[Part]:
        """All of it in order."""
        cuts = [_last_import(run) for run in (self.ours, self.theirs)]
        return [
            *self.ours[: cuts[0]],
            *self.theirs[: cuts[1]],
            *self.ours[cuts[0] :],
            *self.theirs[cuts[1] :],
        ]


def gaps(order: Sequence[Key], ours: Inside, theirs: Inside, new: tuple[set[Key], set[Key]]) -> Iterator[Gap]:
    """The gaps behind each part of ``order``, with what is ``new`` in either side."""
    there = set(order)
    runs: list[dict[Key | None, list[Part]]] = [{}, {}]
    for inside, only, found in zip((ours, theirs), new, runs, strict=True):
        anchor: Key | None = None
        for part in inside.parts:
            if part.key in only:
                found.setdefault(anchor, []).append(part)
            elif part.key in there:
                anchor = part.key
    for anchor in (None, *order):
        yield Gap(anchor, runs[0].get(anchor, []), runs[1].get(anchor, []))


def clash(gap: Gap, ours: Inside, theirs: Inside) -> bool:
    """Whether nobody can tell in which order what two sides put at one place is to stand."""
    if not gap.ours or not gap.theirs:
        return False
    if ours.ordered or theirs.ordered:
        return True
    data = ours.source.rules.data
    one, other = ({_role(part, data) for part in run} for run in (gap.ours, gap.theirs))
    return any(role in other for role in one & {"runs", "says"}) or bool(
        ("runs" in one and other & {"brings", "binds"}) or ("runs" in other and one & {"brings", "binds"})
    )


def contradict(ours: Inside, theirs: Inside, new: tuple[set[Key], set[Key]]) -> bool:
    """Whether the imports that each added give one name to two things."""
    one, other = (
        [inside.text(part) for part in inside.parts if part.brings and part.key in only]
        for inside, only in zip((ours, theirs), new, strict=True)
    )
    return imports.contradict(one, other, ours.source.rules)


def _role(part: Part, data: bool) -> str:
    if part.named:
        return "binds" if part.symbol and part.symbol.kind in BINDINGS and not data else "defines"
    if part.brings:
        return "brings"
    return "says" if part.remark else "runs"


def _last_import(run: list[Part]) -> int:
    """Where the imports end that a run begins with."""
    end = 0
    for at, part in enumerate(run):
        if part.brings:
            end = at + 1
        elif not part.remark:
            break
    return end
