"""How risky a transaction is, and why; or what the repository's own history says of risks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import UNSET, UnsetType

from gitscalpel.changesets.answers import Risk
from gitscalpel.system import serialization
from gitscalpel.verbs import risks
from gitscalpel.verbs.asked import Asked, Named, Onto, said
from gitscalpel.verbs.reply import Caller, Reply, plain

if TYPE_CHECKING:
    from gitscalpel.api import Calibration

_CALIBRATE = "calibrate"


class Request(Asked, frozen=True, kw_only=True):
    """Which one."""

    subject: Annotated[
        str | None,
        said(
            "The transaction; or calibrate: fit the weights to what was taken back in the history.",
            "ID | calibrate",
            place=True,
        ),
    ] = None
    onto: Onto = None


class Explained(Risk, frozen=True, kw_only=True):
    """The risk of a transaction; ``tx`` is which it is."""

    tx: str


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """Some commits, and how many of them were taken back."""

    commits: int
    taken_back: int


class Threshold(msgspec.Struct, frozen=True, kw_only=True):
    """What a score would have stopped of the newer commits: so many, of which so many were taken back."""

    score: float
    stopped: int
    taken_back: int


class Calibrated(msgspec.Struct, frozen=True, kw_only=True):
    """What a branch's history says of risks.

    Attributes:
        branch, learnt_from, held_out, base_rate: whose it is, its older and newer commits, the share of all
            that was taken back.
        why_not: why nothing was learnt.
        auc, error, before: on the newer ones: the area under the ROC curve with its standard error, and with
            the weights as they are.
        weights, kept: for ``[risk]``; and the factors that the log cannot tell, which stay as they are.
        thresholds: what scores would have stopped of the newer ones.
        toml: the weights, for pasting.
    """

    branch: str
    learnt_from: Part
    held_out: Part
    base_rate: float
    kept: tuple[str, ...]
    why_not: str | UnsetType = UNSET
    auc: float | UnsetType = UNSET
    error: float | UnsetType = UNSET
    before: float | UnsetType = UNSET
    weights: dict[str, float] | UnsetType = UNSET
    thresholds: tuple[Threshold, ...] | UnsetType = UNSET
    toml: str | UnsetType = UNSET


Answer = Explained | Calibrated


def perform(caller: Caller, asked: Request) -> Reply:
    """Explain it, or learn."""
    if asked.subject == _CALIBRATE:
        found = caller.repo.calibrate(asked.onto)
        return Reply(_answer(found), plain("\n".join(_words(found))))
    tx = caller.chosen(Named(tx=asked.subject))
    risk = tx.risk
    text = "\n".join([tx.id, *risks.words(risk, every=True)])
    return Reply(Explained(tx=tx.id, **msgspec.structs.asdict(risk)), plain(text))


def _answer(found: Calibration) -> Calibrated:
    told = msgspec.to_builtins(found)
    known = {name: value for name, value in told.items() if value not in (None, "", {}, [])}
    toml = {"toml": "\n".join(_toml(found))} if found.weights and not found.is_chance else {}
    return serialization.convert({**known, **toml}, Calibrated)


def _toml(found: Calibration) -> list[str]:
    return ["[risk]", *(f"{name} = {weight:g}" for name, weight in found.weights.items())]


def _words(found: Calibration) -> list[str]:
    old, new = found.learnt_from, found.held_out
    back, commits = old.taken_back + new.taken_back, old.commits + new.commits
    lines = [f"{found.branch}: {back} of {commits} commits were taken back ({found.base_rate:.2%})"]
    if found.why_not:
        return [*lines, f"too few to learn from: {found.why_not}", "the weights stay as they are"]
    return [*lines, *_tried(found), *_advice(found)]


def _tried(found: Calibration) -> Iterator[str]:
    old, new = found.learnt_from, found.held_out
    yield f"learnt from the older {old.commits} ({old.taken_back} taken back),"
    yield f"tried on the newer {new.commits} ({new.taken_back} taken back):"
    area = f"{found.auc:.3f}, give or take {2 * (found.error or 0):.3f}"
    yield f"  AUC {area}; {found.before:.3f} with the weights as they are (0.5 is chance)"
    for row in found.thresholds:
        yield f"  a score of {row.score:g} or more: {row.stopped} commits, {row.taken_back} taken back"


def _advice(found: Calibration) -> Iterator[str]:
    if found.is_chance:
        yield "that cannot be told from chance: the weights stay as they are"
        return
    yield f"not learnt, since the log does not tell them: {', '.join(found.kept)};"
    yield "where these add to it, scores are higher than those above"
    yield "for .gitscalpel.toml:"
    yield from _toml(found)
