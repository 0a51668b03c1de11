"""Fit the weights of the risk score to a repository's reverts, and measure how well they predict.

The weights are fitted to the older commits and tested on the newer ones. The measure is the area under the
ROC curve, with its standard error.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from gitscalpel.changesets.answers import short_branch_name
from gitscalpel.changesets.file_tree import Oid
from gitscalpel.changesets.rules import Risk
from gitscalpel.git import oplog
from gitscalpel.risk import factors
from gitscalpel.risk.factors import CHURN_DAYS, DAY, DAYS, FACTORS, LoggedCommit, Owners, read_commits
from gitscalpel.workspace.workspace import TreeTarget, Workspace

LEARNT = (factors.SIZE, factors.CHURN, factors.REVERTS, factors.OWNERS)
"""Factors that git's log contains; the others would have to be computed in each commit's tree."""
_MAX_COMMITS = 20_000  # Largest number of commits to read, newest first
_MAX_FILES = 500
"""Largest number of files of a commit; larger ones (formatting, licences) are no examples of risk."""


class PastCommit(NamedTuple):
    """A commit of the past, with the scaled value of each factor in :data:`LEARNT`."""

    oid: str
    time: int
    row: tuple[float, ...]
    taken_back: bool


def read_examples(ws: Workspace, target: TreeTarget) -> list[PastCommit]:
    """Return the commits of a branch, oldest first, including undone ones that the branch no longer has."""
    if target.tip is None:
        return []
    commits = list(read_commits(ws, "--no-merges", f"--max-count={_MAX_COMMITS}", target.tip))
    branch_oids = {each.oid for each in commits}
    undone = _read_undone(ws)
    unreachable = [oid for oid in undone if oid not in branch_oids and ws.has_commit(Oid(oid))]
    commits += read_commits(ws, "--no-walk", *unreachable) if unreachable else ()
    taken_back = {oid: undone.get(oid, 0) for oid in branch_oids & undone.keys() | set(unreachable)}
    for each in commits:
        for name in each.takes_back:
            taken_back.update(dict.fromkeys(_find_commits(name, branch_oids), each.time))
    return list(
        _iter_examples(sorted(commits, key=lambda each: each.time), taken_back, Owners.load(target.snapshot))
    )


def _read_undone(ws: Workspace) -> dict[str, int]:
    """Return the commits whose landing was undone, with the time of the undo."""
    undone: dict[str, int] = {}
    commits: dict[str, int] = {}
    for entry in oplog.read_log(ws.repo):
        record = entry.record
        if record.kind == "undo" and record.undoes:
            undone[record.undoes] = record.time
        elif entry.oid in undone and record.kind == "land" and record.after:
            commits[record.after] = undone[entry.oid]
    return commits


def _find_commits(name: str, oids: set[str]) -> list[str]:
    if name in oids:
        return [name]
    return [oid for oid in oids if oid.startswith(name)] if len(name) < 40 else []


def _iter_examples(
    commits: Iterable[LoggedCommit], taken_back: dict[str, int], owners: Owners | None
) -> Iterator[PastCommit]:
    """Yield each commit with factors from what came before it."""
    changed: dict[str, deque[int]] = defaultdict(deque)
    events_by_path: dict[str, deque[int]] = defaultdict(deque)
    pending_events = sorted((time, oid) for oid, time in taken_back.items())
    lines = {each.oid: each.lines for each in commits}
    for each in commits:
        while pending_events and pending_events[0][0] < each.time:
            time, oid = pending_events.pop(0)
            for path in lines.get(oid, ()):
                events_by_path[path].append(time)
        if not each.takes_back and each.lines and len(each.lines) <= _MAX_FILES:
            counts = [_count_since(changed, path, each.time - CHURN_DAYS * DAY) for path in each.lines]
            events = [_count_since(events_by_path, path, each.time - DAYS * DAY) for path in each.lines]
            others = owners.find_foreign(each.lines, frozenset({each.mail})) if owners else []
            row = (
                factors.scale_size(sum(each.lines.values())),
                factors.scale_churn(max(counts)),
                factors.scale_reverts(max(events)),
                len(others) / len(each.lines),
            )
            yield PastCommit(each.oid, each.time, row, each.oid in taken_back)
        for path in each.lines:
            changed[path].append(each.time)


def _count_since(times: dict[str, deque[int]], path: str, first: int) -> int:
    path_times = times.get(path)
    while path_times and path_times[0] < first:
        path_times.popleft()
    return len(path_times) if path_times else 0


def roc_auc(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """Return the area under the ROC curve: the probability that a labelled score is the higher one.

    Ties count half, and both labels must occur. This is Mann and Whitney's U divided by the number of pairs.
    """
    order = sorted(range(len(scores)), key=lambda i: scores[i])
    ranks = [0.0] * len(scores)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and scores[order[end]] == scores[order[start]]:
            end += 1
        for i in order[start:end]:
            ranks[i] = (start + 1 + end) / 2
        start = end
    positives = sum(labels)
    total = sum(rank for rank, label in zip(ranks, labels, strict=True) if label)
    return (total - positives * (positives + 1) / 2) / (positives * (len(labels) - positives))


def standard_error(area: float, positives: int, negatives: int) -> float:
    """Return the standard error of such an area (Hanley and McNeil, 1982)."""
    q1, q2 = area / (2 - area), 2 * area * area / (1 + area)
    spread = area * (1 - area) + (positives - 1) * (q1 - area**2) + (negatives - 1) * (q2 - area**2)
    return math.sqrt(max(0.0, spread) / (positives * negatives))


FEWEST, FEWEST_HELD_OUT = 20, 10  # Smallest numbers of reverted commits to learn from and to test on
_TRAINING_SHARE = 0.7
_STOPPED_SHARES = (0.05, 0.1, 0.2)


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """Some commits, and the number of those that were taken back."""

    commits: int
    taken_back: int


class Threshold(msgspec.Struct, frozen=True, kw_only=True):
    """Number of newer commits that a score would have stopped, and of those that were taken back."""

    score: float
    stopped: int
    taken_back: int


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """Weights learnt from a repository's history.

    Attributes:
        learnt_from, held_out: the older and the newer commits.
        base_rate: share of all commits that were taken back.
        why_not: reason why nothing was learnt, or "".
        auc, error: area under the ROC curve for the newer commits, and its standard error, or null if
            unknown.
        before: the same area with the current weights.
        weights: weights of ``[risk]`` with the bias; those that the log does not contain are unchanged.
        kept: factors that the log does not contain.
        thresholds: newer commits that a score would have stopped.
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
        """True if the result is within two standard errors of chance."""
        return self.auc is not None and self.error is not None and self.auc - 2 * self.error <= 0.5


def calibrate(ws: Workspace, target: TreeTarget) -> Calibration:
    examples = read_examples(ws, target)
    cut = int(len(examples) * _TRAINING_SHARE)
    old, new = examples[:cut], examples[cut:]
    calibration = Calibration(
        branch=short_branch_name(target.branch),
        learnt_from=_make_part(old),
        held_out=_make_part(new),
        base_rate=round(sum(each.taken_back for each in examples) / len(examples), 5) if examples else 0.0,
    )
    why_not = _describe_too_few(calibration)
    if why_not:
        return msgspec.structs.replace(calibration, why_not=why_not)
    return _learn_weights(calibration, old, new, target.rules.risk)


def _make_part(examples: Sequence[PastCommit]) -> Part:
    return Part(commits=len(examples), taken_back=sum(each.taken_back for each in examples))


def _describe_too_few(calibration: Calibration) -> str:
    old, new = calibration.learnt_from.taken_back, calibration.held_out.taken_back
    if old >= FEWEST and new >= FEWEST_HELD_OUT:
        return ""
    commits = calibration.learnt_from.commits, calibration.held_out.commits
    return (
        f"{old} of {commits[0]} older commits and {new} of {commits[1]} newer ones were taken back; "
        f"it takes {FEWEST} and {FEWEST_HELD_OUT} to learn anything"
    )


def _learn_weights(
    calibration: Calibration, old: Sequence[PastCommit], new: Sequence[PastCommit], rule: Risk
) -> Calibration:
    expected = [getattr(rule, name) for name in LEARNT]
    bias, weights = factors.fit([each.row for each in old], [each.taken_back for each in old], expected)
    labels = [each.taken_back for each in new]
    scores = _score_examples(new, bias, weights)
    auc = roc_auc(scores, labels)
    error = standard_error(auc, calibration.held_out.taken_back, len(new) - calibration.held_out.taken_back)
    learnt = {"bias": bias, **dict(zip(LEARNT, weights, strict=True))}
    return msgspec.structs.replace(
        calibration,
        auc=round(auc, 3),
        error=round(error, 3),
        before=round(roc_auc(_score_examples(new, rule.bias, expected), labels), 3),
        weights={name: round(learnt.get(name, getattr(rule, name)), 2) for name in ("bias", *FACTORS)},
        thresholds=tuple(_find_thresholds(scores, labels)),
    )


def _score_examples(examples: Sequence[PastCommit], bias: float, weights: Sequence[float]) -> list[float]:
    return [
        factors.probability(bias + sum(w * x for w, x in zip(weights, each.row, strict=True)))
        for each in examples
    ]


def _find_thresholds(scores: Sequence[float], labels: Sequence[bool]) -> list[Threshold]:
    """Return for each share of the commits the score that so many reach."""
    ranked = sorted(scores, reverse=True)
    rows = []
    for share in _STOPPED_SHARES:
        score = ranked[max(0, int(len(ranked) * share) - 1)]
        caught = [label for value, label in zip(scores, labels, strict=True) if value >= score]
        rows.append(Threshold(score=round(score, 4), stopped=len(caught), taken_back=sum(caught)))
    return rows
