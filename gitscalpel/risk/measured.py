"""What a factor comes to: a number, the same between 0 and 1, and a reason in words."""

from __future__ import annotations

import math
from typing import NamedTuple


class Measured(NamedTuple):
    """What a factor comes to for a change.

    Attributes:
        value: what was counted.
        scaled: that as the formula takes it, from 0 to 1.
        why: in words.
    """

    value: float
    scaled: float
    why: str


def by_doublings(count: float, full: int) -> float:
    """A count as the formula takes it: each doubling adds as much, and ``2 ** full`` or more is 1."""
    return min(1.0, math.log2(1 + count) / full)


def many(count: int, what: str) -> str:
    """A count in words; ``what`` is the noun, which takes an s."""
    return f"{count} {what}{'s' * (count != 1)}"
