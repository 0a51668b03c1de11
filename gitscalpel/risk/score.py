"""Compute the risk score of a change, the logistic function of its weighted factors, and fit the weights.

    score = 1 / (1 + exp(-(bias + sum of weight * scaled factor)))

The weights are those in ``[risk]`` of the target branch.

The fit is a logistic regression for a few hundred to ten thousand rows, without a library: Newton's method
(iteratively reweighted least squares) on the log-likelihood, with a quadratic penalty for weights that differ
from the expected ones (a Gaussian prior, as in ridge regression). The intercept is free. Hastie, Tibshirani
and Friedman, The Elements of Statistical Learning, 4.4.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from gitscalpel.changesets.answers import Factor, Risk
from gitscalpel.risk import factors
from gitscalpel.risk.factors import About, FactorValue

_MAX_ROUNDS = 50
_TOLERANCE = 1e-8
_LARGEST_STEP = 5.0
"""Limit of a Newton step, so that a start far from the solution does not diverge."""

Row = Sequence[float]


def fit(
    rows: Sequence[Row], labels: Sequence[bool], expected: Row, strength: float = 1.0
) -> tuple[float, list[float]]:
    """Return the most likely intercept and weights for the labels.

    Args:
        rows: numbers of about the same size, such as 0 to 1.
        labels: label of each row; both labels must occur.
        expected: prior mean of the weights.
        strength: strength of the prior; 0 for none.
    """
    share = sum(labels) / len(labels)
    found = [math.log(share / (1 - share)), *expected]
    means = [0.0, *expected]
    ridge = [0.0, *(strength for _ in expected)]
    for _ in range(_MAX_ROUNDS):
        step = _solve(*_compute_derivatives(rows, labels, found, means, ridge))
        largest = max(map(abs, step))
        scale = min(1.0, _LARGEST_STEP / largest) if largest else 1.0
        found = [value + scale * change for value, change in zip(found, step, strict=True)]
        if largest < _TOLERANCE:
            break
    return found[0], found[1:]


def _compute_derivatives(
    rows: Sequence[Row], labels: Sequence[bool], at: Row, means: Row, ridge: Row
) -> tuple[list[list[float]], list[float]]:
    """Return the negative second derivative at a point, and the first derivative."""
    size = len(at)
    slope = [strength * (mean - value) for strength, mean, value in zip(ridge, means, at, strict=True)]
    curve = [[ridge[i] if i == j else 0.0 for j in range(size)] for i in range(size)]
    for row, label in zip(rows, labels, strict=True):
        full = (1.0, *row)
        chance = probability(sum(weight * value for weight, value in zip(at, full, strict=True)))
        wrong, sure = label - chance, chance * (1 - chance)
        for i, value in enumerate(full):
            if value:
                slope[i] += wrong * value
                for j in range(i + 1):
                    curve[i][j] += sure * value * full[j]
    for i in range(size):
        for j in range(i):
            curve[j][i] = curve[i][j]
    return curve, slope


def probability(odds: float) -> float:
    """Return the probability for log odds, which are limited to ±50 to avoid an overflow."""
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, odds))))


def _solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Solve a linear system by elimination; undetermined values are 0."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for at in range(size):
        pivot = max(range(at, size), key=lambda i: abs(rows[i][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        if abs(rows[at][at]) < 1e-12:
            continue
        for i in range(size):
            if i != at and rows[i][at]:
                factor = rows[i][at] / rows[at][at]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[at], strict=True)]
    return [rows[i][size] / rows[i][i] if abs(rows[i][i]) >= 1e-12 else 0.0 for i in range(size)]


FACTORS: dict[str, Callable[[About], FactorValue]] = {
    factors.SIZE: factors.measure_size,
    factors.FAN_IN: factors.measure_fan_in,
    factors.PUBLIC: factors.measure_public,
    factors.CHURN: factors.measure_churn,
    factors.REVERTS: factors.measure_reverts,
    factors.UNTESTED: factors.measure_untested,
    factors.OWNERS: factors.measure_owners,
}
"""Function that measures each factor; the name is also that of the weight in ``[risk]``."""


def assess(about: About) -> Risk:
    """Return the risk score of a change with its factors."""
    found = {name: measure(about) for name, measure in FACTORS.items()}
    weighed = {name: getattr(about.rule, name) * each.scaled for name, each in found.items()}
    odds = about.rule.bias + sum(weighed.values())
    rows = (
        Factor(name=name, value=float(each.value), contribution=round(weighed[name], 3), why=each.why)
        for name, each in found.items()
    )
    return Risk(score=round(probability(odds), 3), factors=tuple(rows))
