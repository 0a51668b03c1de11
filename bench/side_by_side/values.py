"""What was measured, as values that are written as JSON and read by the table and the picture."""

from __future__ import annotations

from typing import Literal

import msgspec

TIMES = "\N{MULTIPLICATION SIGN}"


class Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Two sides of one comparison.

    Attributes:
        row: the name by which it is asked for.
        what: is done.
        way: in which, and ``against`` which other one.
        files: of the repository; 0: it has one of its own.
        value, other: medians of both sides.
        ratio: the median of the ratios of pairs.
        budget: at most so much of ``on``.
        does: what the way does and does not do, as it was tried.
        missing: why nothing was measured.
    """

    row: str
    what: str
    way: str
    against: str
    files: int = 0
    value: float = 0.0
    other: float = 0.0
    ratio: float = 0.0
    unit: str = "ms"
    budget: float | None = None
    on: Literal["ratio", "value"] = "ratio"
    does: str = ""
    missing: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether it is within its budget; None: it has none."""
        if self.budget is None or self.missing:
            return None
        return (self.ratio if self.on == "ratio" else self.value) <= self.budget


class Point(msgspec.Struct, frozen=True):
    """Of a curve: for so much of it the milliseconds, and how many times those of the first point."""

    at: int
    value: float
    ratio: float


class Curve(msgspec.Struct, frozen=True):
    """How what an edit takes grows with something."""

    name: str
    along: str
    points: tuple[Point, ...]


class Report(msgspec.Struct, frozen=True):
    """Everything of one run."""

    machine: str
    rounds: int
    rows: tuple[Row, ...]
    curves: tuple[Curve, ...]
