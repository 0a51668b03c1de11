"""The few shapes that the picture is made of."""

from __future__ import annotations

import math
from html import escape
from typing import NamedTuple

WIDTH = 880


class Scale(NamedTuple):
    """Takes numbers from ``low`` to ``high``, by their logarithm, to places from ``start`` to ``end``."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        part = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + min(max(part, 0.0), 1.0) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Powers of ten within it."""
        first, last = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
        return [10.0**power for power in range(first, last + 1)]


def text(x: float, y: float, words: str, kind: str = "") -> str:
    """Words whose baseline begins there."""
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{escape(words)}</text>'


def bar(x: float, y: float, width: float, height: float, kind: str) -> str:
    """A bar."""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="1.5" class="{kind}"/>'
    )


def line(x: float, y: float, to_x: float, to_y: float, kind: str) -> str:
    """A straight line."""
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" class="{kind}"/>'


def path(points: list[tuple[float, float]]) -> str:
    """A line through points, which are marked."""
    through = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    marks = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" class="ours"/>' for x, y in points)
    return f'<polyline points="{through}" class="line"/>{marks}'


def short(number: float) -> str:
    """A count in few letters."""
    return f"{number / 1000:g}k" if number >= 1_000 else f"{number:g}"
