"""How well scores tell some things from the others: the area under the ROC curve, and what its error is."""

from __future__ import annotations

import math
from collections.abc import Sequence


def area(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """The chance that one of those with the label has the higher score than one without; ties count half.

    There must be some of both. (Mann and Whitney's U, over the number of pairs.)
    """
    order = sorted(range(len(scores)), key=lambda i: scores[i])
    ranks = [0.0] * len(scores)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and scores[order[end]] == scores[order[at]]:
            end += 1
        for i in order[at:end]:
            ranks[i] = (at + 1 + end) / 2
        at = end
    having = sum(labels)
    total = sum(rank for rank, label in zip(ranks, labels, strict=True) if label)
    return (total - having * (having + 1) / 2) / (having * (len(labels) - having))


def error(area: float, having: int, others: int) -> float:
    """The standard error of such an area (Hanley and McNeil, 1982)."""
    q1, q2 = area / (2 - area), 2 * area * area / (1 + area)
    spread = area * (1 - area) + (having - 1) * (q1 - area**2) + (others - 1) * (q2 - area**2)
    return math.sqrt(max(0.0, spread) / (having * others))
