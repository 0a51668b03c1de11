"""An order: which of several processes goes on at each step, drawn from nothing but its scenario and number.

Three ways to draw: at each step anybody (with more or less inclination to go on with the same one); by
ranks of which the highest goes on, with a few places where it becomes the lowest (PCT: Burckhardt et al., "A
Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", 2010); and one after the other, with a
few delays (Emmi, Qadeer, Rakamaric: "Delay-Bounded Scheduling", 2011).
"""

from __future__ import annotations

import hashlib
import math
import random
import struct
from pathlib import Path
from typing import NamedTuple

_HEADER = struct.Struct("=QQIIII8i8I256sQIIIIIIii")
"""As ``struct state`` in ``order.h`` begins, as far as the holder of the turn: nobody."""
_STATE = struct.Struct("=QIIIIII")
_AT, _PLACES, _RECORDS = 352, 416, 416 + 128 * 48
_RECORD = struct.Struct("=Ii12s60s")
_SIZE = _RECORDS + 100_000 * _RECORD.size
_LATER = 40 * 86_400 * 10**9
"""Nanoseconds from when a repository was made to when the order begins: what is unused is old by then."""
_CHANGES, _FAMILIES, _NEVER = 8, 8, 2**32 - 1
WAYS = ("walk", "ranks", "delays")
LOOKS = ("changes", "opening", "looking")
"""Which calls are steps: those that change something, then those that open files, then those that look."""


class Order(NamedTuple):
    """What decides who goes next.

    Attributes:
        way: one of :data:`WAYS`.
        sticky: how often, of a hundred times, the same process goes on in a walk.
        looks: index in :data:`LOOKS`.
        tick: nanoseconds that pass with each step.
        ranks: of the families; or, for delays, who comes after whom.
        changes: the steps at which the order changes.
        chance: of what follows.
    """

    way: str
    sticky: int
    looks: int
    tick: int
    ranks: tuple[int, ...]
    changes: tuple[int, ...]
    chance: int

    def written(self, root: Path, families: int) -> bytes:
        """As the processes read it; ``root`` is the folder whose files count."""
        padding = (0,) * (_FAMILIES - len(self.ranks))
        never = (_NEVER,) * (_CHANGES - len(self.changes))
        return _HEADER.pack(
            *(self.chance, self.tick, WAYS.index(self.way), self.sticky, families, self.looks),
            *(*self.ranks, *padding, *self.changes, *never, bytes(root)),
            *(_LATER, 0, 0, 0, 0, 0, 0, -1, 0),
        ).ljust(_RECORDS, b"\0")


class Passed(NamedTuple):
    """How an order went: its steps, how often another process went on, how often the clock had to help."""

    steps: int
    switches: int
    robbed: int
    trace: bytes

    @property
    def digest(self) -> str:
        """Of all steps: two runs with the same went the same way."""
        return hashlib.blake2b(self.trace, digest_size=8).hexdigest()

    def told(self) -> list[str]:
        """Each step as a line: which process (counted as they came), call, file, and number of the error."""
        rows = (_RECORD.unpack_from(self.trace, at) for at in range(0, len(self.trace), _RECORD.size))
        return [
            f"{serial:3} {_word(what):10} {_word(path)}" + (f" = {failed}" if failed else "")
            for serial, failed, what, path in rows
        ]


def drawn(scenario: str, number: int, families: int) -> Order:
    """The order with this number."""
    draw = random.Random(f"{scenario} {number}")  # noqa: S311 - it is to be the same again
    way = draw.choice(WAYS)
    ranks = list(range(families))
    draw.shuffle(ranks)
    longest = int(math.exp(draw.uniform(math.log(40), math.log(2_500))))
    changes = sorted(draw.randint(1, longest) for _ in range(draw.randint(1, 6)))
    return Order(
        way,
        sticky=draw.choice([0, 50, 80, 95]),
        looks=draw.choice([0, 0, 1, 1, 2]),
        tick=draw.choice([10_000, 100_000, 1_000_000]),
        ranks=tuple(ranks),
        changes=tuple(changes) if way != "walk" else (),
        chance=draw.getrandbits(64),
    )


def alone(number: int) -> Order:
    """Of one process, which has all turns."""
    return Order("walk", 0, 0, 1_000, (0,), (), number)


def begin(state: Path, order: Order, root: Path, families: int) -> None:
    """Write the order where the processes are going to look for it."""
    with state.open("r+b" if state.exists() else "w+b") as file:
        file.write(order.written(root, families))
        file.truncate(_SIZE)


def passed(state: Path) -> Passed:
    """How it went."""
    with state.open("rb") as file:
        file.seek(_AT)
        _, steps, switches, robbed, _, records, _ = _STATE.unpack(file.read(_STATE.size))
        file.seek(_RECORDS)
        return Passed(steps, switches, robbed, file.read(records * _RECORD.size))


def _word(raw: bytes) -> str:
    return raw.split(b"\0", 1)[0].decode("utf-8", "replace")
