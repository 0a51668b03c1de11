"""Request to a gate that reads a change, and its verdict."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET

from gitscalpel.changesets.answers import Finding, GateRow
from gitscalpel.errors import ScalpelError


class StaticRequest(msgspec.Struct, frozen=True):
    """Request to a gate that reads a change.

    Attributes:
        allow_broken: True if the caller accepts that a file no longer parses, and the policy allows it.
        is_whole: True if the change is a transaction as a whole, False if it is a step of one.
        is_by_hand: True if the change was made with git and not by an operation.
    """

    allow_broken: bool = False
    is_whole: bool = True
    is_by_hand: bool = False


class Verdict(msgspec.Struct, frozen=True):
    """Verdict of one gate; further fields as in ``GateRow``.

    Attributes:
        unchecked: parts of the change that the gate could not judge, with the reason, in words.
        where: place where its programs ran. Empty for a gate without programs.
    """

    name: str
    status: Literal["passed", "failed", "skipped", "cached"]
    findings: tuple[Finding, ...] = ()
    error: ScalpelError | None = None
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    output: str = ""
    unchecked: tuple[str, ...] = ()
    where: str = ""
    rules: tuple[str, ...] = ()

    @property
    def row(self) -> GateRow:
        return GateRow(
            name=self.name,
            status=self.status,
            seconds=self.seconds,
            findings=self.findings,
            notes=self.notes or UNSET,
            output=self.output or UNSET,
            sandbox=self.where or UNSET,
            rules=self.rules or UNSET,
        )
