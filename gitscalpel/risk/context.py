"""Input and result of a risk factor: the change with its tree and history, and a scaled measure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.changesets.rules import Risk
from gitscalpel.edit.outcome import Outcome
from gitscalpel.risk import file_history
from gitscalpel.risk.file_history import Past
from gitscalpel.workspace import Workspace


class Touched(NamedTuple):
    """A definition that changes: its file, its path in there (as it was), and what becomes of it."""

    path: str
    symbol: str
    kind: str


class About:
    """A change of which the risk is asked.

    Args:
        ws: where.
        base: the commit that it starts from; None: unborn.
        outcome: the change.
        authors: the mail addresses of those who have made it.
        rule: what the target branch says of risks.
    """

    def __init__(
        self, ws: Workspace, base: Oid | None, outcome: Outcome, authors: frozenset[str], rule: Risk
    ) -> None:
        self.ws, self.base, self.outcome, self.authors, self.rule = ws, base, outcome, authors, rule

    @cached_property
    def paths(self) -> list[str]:
        """The files that change."""
        return [change.path for change in self.outcome.changes]

    @cached_property
    def touched(self) -> list[Touched]:
        """The definitions that change, but for those inside of functions."""
        return list(self._touched())

    @cached_property
    def past(self) -> Past:
        """What has become of these files so far."""
        return file_history.past(self.ws, self.base, self.paths)

    def _touched(self) -> Iterator[Touched]:
        overlay = self.outcome.overlay
        for change in self.outcome.changes:
            both = overlay.before(change.path), overlay.content(change.path)
            for intent in self.outcome.intents(change.path, *both):
                if intent.defines:
                    yield Touched(change.path, intent.symbol, intent.kind)


class Measured(NamedTuple):
    """What a factor comes to for a change.

    Attributes:
        value: what was counted.
        scaled: that as the formula takes it, from 0 to 1.
        why: in words.
    """

    value: float
    scaled: float
    why: str


def by_doublings(count: float, full: int) -> float:
    """A count as the formula takes it: each doubling adds as much, and ``2 ** full`` or more is 1."""
    return min(1.0, math.log2(1 + count) / full)


def many(count: int, what: str) -> str:
    """A count in words; ``what`` is the noun, which takes an s."""
    return f"{count} {what}{'s' * (count != 1)}"
