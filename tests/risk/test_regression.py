"""Logistic regression recovers the weights of its labels, and the rank statistics are correct."""

from __future__ import annotations

import random

import pytest

from gitscalpel.risk import calibration, factors


def draw_samples(count: int, bias: float, weights: list[float]) -> tuple[list[list[float]], list[bool]]:
    rng = random.Random(7)  # noqa: S311 - the same sample each time
    rows = [[rng.random() for _ in weights] for _ in range(count)]
    odds = (bias + sum(w * x for w, x in zip(weights, row, strict=True)) for row in rows)
    return rows, [rng.random() < factors.probability(each) for each in odds]


def test_weights_are_recovered() -> None:
    rows, labels = draw_samples(20_000, -3.0, [2.0, 0.0, -1.0])
    bias, weights = factors.fit(rows, labels, [0.0, 0.0, 0.0])
    assert bias == pytest.approx(-3.0, abs=0.2)
    assert weights == pytest.approx([2.0, 0.0, -1.0], abs=0.25)


def test_gradient_is_zero_at_the_fit() -> None:
    rows, labels = draw_samples(300, -1.0, [1.0, 2.0])
    bias, weights = factors.fit(rows, labels, [0.0, 0.0], strength=0.0)
    chances = [
        factors.probability(bias + sum(w * x for w, x in zip(weights, row, strict=True))) for row in rows
    ]
    residuals = [label - rng for label, rng in zip(labels, chances, strict=True)]
    slopes = [
        sum(residuals),
        *(sum(w * row[i] for w, row in zip(residuals, rows, strict=True)) for i in range(2)),
    ]
    assert slopes == pytest.approx([0, 0, 0], abs=1e-6)


def test_undetermined_weight_keeps_its_prior() -> None:
    rows = [[0.0, float(n % 2)] for n in range(100)]
    labels = [n % 4 < 2 for n in range(100)]
    _, weights = factors.fit(rows, labels, [1.5, 0.0])
    assert weights == pytest.approx([1.5, 0.0], abs=1e-6)


def test_separable_labels_give_a_finite_weight() -> None:
    rows = [[float(n >= 50)] for n in range(100)]
    _, (weight,) = factors.fit(rows, [n >= 50 for n in range(100)], [0.0])
    assert 3 < weight < 10


def test_auc_is_the_share_of_ordered_pairs() -> None:
    scores = [0.1, 0.4, 0.4, 0.8, 0.2, 0.9]
    labels = [False, True, False, True, False, False]
    pairs = [
        1.0 if a > b else 0.5 if a == b else 0.0
        for a, is_one in zip(scores, labels, strict=True)
        if is_one
        for b, is_other in zip(scores, labels, strict=True)
        if not is_other
    ]
    assert calibration.roc_auc(scores, labels) == pytest.approx(sum(pairs) / len(pairs))


def test_standard_error_equals_that_of_hanley_and_mcneil() -> None:
    assert calibration.standard_error(0.893, 51, 58) == pytest.approx(
        0.032, abs=0.001
    )  # the example of the paper
