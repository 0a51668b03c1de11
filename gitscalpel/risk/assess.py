"""The risk of a change: the logistic function of what its factors come to, each by its weight.

    score = 1 / (1 + exp(-(bias + sum of weight * scaled factor)))

The weights are those of ``[risk]`` of the target branch.
"""

from __future__ import annotations

from collections.abc import Callable

from gitscalpel.report import Factor, Risk
from gitscalpel.risk import churn, fan_in, owners, public, reverts, size, untested
from gitscalpel.risk.about import About
from gitscalpel.risk.measured import Measured
from gitscalpel.risk.regression import probability

FACTORS: dict[str, Callable[[About], Measured]] = {
    size.NAME: size.measure,
    fan_in.NAME: fan_in.measure,
    public.NAME: public.measure,
    churn.NAME: churn.measure,
    reverts.NAME: reverts.measure,
    untested.NAME: untested.measure,
    owners.NAME: owners.measure,
}
"""Each is a module, and a weight of ``[risk]``."""


def assess(about: About) -> Risk:
    """How risky a change is, and why."""
    found = {name: measure(about) for name, measure in FACTORS.items()}
    weighed = {name: getattr(about.rule, name) * each.scaled for name, each in found.items()}
    odds = about.rule.bias + sum(weighed.values())
    rows = (
        Factor(name=name, value=float(each.value), contribution=round(weighed[name], 3), why=each.why)
        for name, each in found.items()
    )
    return Risk(score=round(probability(odds), 3), factors=tuple(rows))
