"""Bars of the picture: what each way takes of one landed edit, as times of what git alone takes."""

from __future__ import annotations

import math

from bench.side_by_side.drawing import WIDTH, Scale, bar, line, short, text
from bench.side_by_side.values import TIMES, Row

_LEFT, _RIGHT, _BAR, _GAP = 420, WIDTH - 70, 11, 9
_OURS = ("git scalpel", "gitscalpel")


def drawn(rows: tuple[Row, ...], top: float) -> tuple[list[str], float]:
    """The shapes from ``top`` on, and where they end."""
    measured = [row for row in rows if row.row == "landing" and row.ratio]
    if not measured:
        return [], top
    ratios = [row.ratio for row in measured]
    high = 10 ** math.ceil(math.log10(max(*ratios, 10)))
    scale = Scale(min(0.1, *ratios), high, _LEFT, _RIGHT)
    below, bottom = _groups(measured, scale, top + 44)
    head = f"One symbol replaced and landed: {TIMES} {measured[0].against}"
    parts = [text(16, top, head, "head")]
    explained = "by files in the repository; the scale is logarithmic, less is better; orange: the budget"
    parts.append(text(16, top + 17, explained, "small"))
    for tick in scale.ticks():
        kind = "one" if tick == 1 else "grid"
        parts.append(line(scale(tick), top + 38, scale(tick), bottom - _GAP, kind))
        parts.append(text(scale(tick), top + 34, f"{tick:g} {TIMES}", "small middle"))
    return [*parts, *below], bottom + 26


def _groups(rows: list[Row], scale: Scale, top: float) -> tuple[list[str], float]:
    """A group for each way, in which there is a bar for each size."""
    parts = []
    for way in dict.fromkeys(row.way for row in rows):
        ours = way.startswith(_OURS)
        group = [row for row in rows if row.way == way]
        middle = top + len(group) * _BAR / 2 + 4
        parts.append(text(16, middle, way.replace(", in a process that stays", ", in process")))
        for row in group:
            parts += _bar(row, scale, top, "ours" if ours else "theirs")
            top += _BAR
        top += _GAP
    return parts, top


def _bar(row: Row, scale: Scale, y: float, kind: str) -> list[str]:
    end = scale(row.ratio)
    parts = [bar(_LEFT, y, end - _LEFT, _BAR - 2, kind)]
    parts.append(text(_LEFT - 6, y + _BAR - 2, short(row.files), "small end"))
    parts.append(
        text(end + 5, y + _BAR - 2, f"{row.ratio:.2f}" if row.ratio < 10 else f"{row.ratio:.0f}", "small")
    )
    if row.budget is not None:
        place = scale(row.budget)
        parts.append(line(place, y - 1, place, y + _BAR - 1, "budget"))
    return parts
