"""Small curves of the picture: how an edit's time grows with one thing after another."""

from __future__ import annotations

from bench.side_by_side.drawing import WIDTH, Scale, line, path, short, text
from bench.side_by_side.values import TIMES, Curve

_EACH_ROW, _HIGH, _WIDE = 4, 96, (WIDTH - 32) / 4
_LEAST = 4.0
"""A curve that hardly grows is to look like it."""


def drawn(curves: tuple[Curve, ...], top: float) -> tuple[list[str], float]:
    """The shapes from ``top`` on, and where they end."""
    if not curves:
        return [], top
    head = f"How one edit's time grows, {TIMES} the first point"
    parts = [text(16, top, head, "head")]
    parts.append(text(16, top + 17, "both scales are logarithmic; the dashed line is no growth", "small"))
    for number, curve in enumerate(curves):
        row, column = divmod(number, _EACH_ROW)
        parts += _plot(curve, 16 + column * _WIDE, top + 44 + row * (_HIGH + 60))
    rows = -(-len(curves) // _EACH_ROW)
    return parts, top + 44 + rows * (_HIGH + 60)


def _plot(curve: Curve, x: float, y: float) -> list[str]:
    ats, ratios = [point.at for point in curve.points], [point.ratio for point in curve.points]
    across = Scale(min(ats), max(*ats, min(ats) + 1), x + 8, x + _WIDE - 48)
    up = Scale(min(0.5, 0.8 * min(ratios)), max(_LEAST, *ratios), y + _HIGH, y + 10)
    points = [(across(point.at), up(point.ratio)) for point in curve.points]
    last = points[-1]
    return [
        text(x, y, curve.along, "small"),
        line(x, y + _HIGH, x + _WIDE - 40, y + _HIGH, "grid"),
        line(x, up(1), x + _WIDE - 40, up(1), "one"),
        path(points),
        text(last[0] + 6, last[1] + 4, f"{ratios[-1]:.3g} {TIMES}", "small"),
        text(points[0][0], y + _HIGH + 13, short(ats[0]), "small middle"),
        text(last[0], y + _HIGH + 13, short(ats[-1]), "small middle"),
    ]
