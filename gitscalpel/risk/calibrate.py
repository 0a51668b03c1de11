"""Fits the weights of a risk to what was taken back in a repository, and says how well that does.

What is learnt from the older commits is tried on the newer ones, as it would be used. Where little was taken
back there is nothing to learn, and that is said.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from gitscalpel.report import short
from gitscalpel.risk import ranking, regression
from gitscalpel.risk.assess import FACTORS
from gitscalpel.risk.examples import LEARNT, Example, examples
from gitscalpel.rules import Risk
from gitscalpel.workspace import TreeTarget, Workspace

FEWEST, FEWEST_HELD_OUT = 20, 10
"""Commits that were taken back, among those that it learns from, and among those that it is tried on."""
_LEARNT_FROM = 0.7
_SHARES = (0.05, 0.1, 0.2)


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """Some commits, and how many of them were taken back."""

    commits: int
    taken_back: int


class Threshold(msgspec.Struct, frozen=True, kw_only=True):
    """What a score would have stopped of the newer commits: so many, of which so many were taken back."""

    score: float
    stopped: int
    taken_back: int


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """What a repository's own history says of risks.

    Attributes:
        branch: whose history.
        learnt_from, held_out: the older commits, and the newer ones.
        base_rate: the share of all that was taken back.
        why_not: why nothing was learnt; "": it was.
        auc, error: on the newer ones: the area under the ROC curve and its standard error; null: not known.
        before: the same area with the weights as they are.
        weights: of ``[risk]``, the bias among them; those that the log cannot tell are as they were.
        kept: the factors that the log cannot tell.
        thresholds: what scores would have stopped of the newer ones.
    """

    branch: str
    learnt_from: Part
    held_out: Part
    base_rate: float
    why_not: str = ""
    auc: float | None = None
    error: float | None = None
    before: float | None = None
    weights: dict[str, float] = {}
    kept: tuple[str, ...] = tuple(name for name in FACTORS if name not in LEARNT)
    thresholds: tuple[Threshold, ...] = ()

    @property
    def is_chance(self) -> bool:
        """Whether what was learnt cannot be told from chance, by two standard errors."""
        return self.auc is not None and self.error is not None and self.auc - 2 * self.error <= 0.5


def calibrate(ws: Workspace, target: TreeTarget) -> Calibration:
    """Learn from the history of a branch."""
    found = examples(ws, target)
    cut = int(len(found) * _LEARNT_FROM)
    old, new = found[:cut], found[cut:]
    told = Calibration(
        branch=short(target.branch),
        learnt_from=_part(old),
        held_out=_part(new),
        base_rate=round(sum(each.taken_back for each in found) / len(found), 5) if found else 0.0,
    )
    why_not = _too_few(told)
    if why_not:
        return msgspec.structs.replace(told, why_not=why_not)
    return _learnt(told, old, new, target.rules.risk)


def _part(some: Sequence[Example]) -> Part:
    return Part(commits=len(some), taken_back=sum(each.taken_back for each in some))


def _too_few(told: Calibration) -> str:
    old, new = told.learnt_from.taken_back, told.held_out.taken_back
    if old >= FEWEST and new >= FEWEST_HELD_OUT:
        return ""
    return (
        f"{old} of {told.learnt_from.commits} older commits and {new} of {told.held_out.commits} newer ones "
        f"were taken back; it takes {FEWEST} and {FEWEST_HELD_OUT} to learn anything"
    )


def _learnt(told: Calibration, old: Sequence[Example], new: Sequence[Example], now: Risk) -> Calibration:
    expected = [getattr(now, name) for name in LEARNT]
    bias, weights = regression.fit([each.row for each in old], [each.taken_back for each in old], expected)
    labels = [each.taken_back for each in new]
    scores = _scores(new, bias, weights)
    auc = ranking.area(scores, labels)
    error = ranking.error(auc, told.held_out.taken_back, len(new) - told.held_out.taken_back)
    found = {"bias": bias, **dict(zip(LEARNT, weights, strict=True))}
    return msgspec.structs.replace(
        told,
        auc=round(auc, 3),
        error=round(error, 3),
        before=round(ranking.area(_scores(new, now.bias, expected), labels), 3),
        weights={name: round(found.get(name, getattr(now, name)), 2) for name in ("bias", *FACTORS)},
        thresholds=tuple(_thresholds(scores, labels)),
    )


def _scores(some: Sequence[Example], bias: float, weights: Sequence[float]) -> list[float]:
    return [
        regression.probability(bias + sum(w * x for w, x in zip(weights, each.row, strict=True)))
        for each in some
    ]


def _thresholds(scores: Sequence[float], labels: Sequence[bool]) -> list[Threshold]:
    """For each share of the commits, the score that so many reach."""
    ranked = sorted(scores, reverse=True)
    rows = []
    for share in _SHARES:
        score = ranked[max(0, int(len(ranked) * share) - 1)]
        caught = [label for value, label in zip(scores, labels, strict=True) if value >= score]
        rows.append(Threshold(score=round(score, 4), stopped=len(caught), taken_back=sum(caught)))
    return rows
