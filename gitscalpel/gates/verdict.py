"""Verdict of a gate on a change."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET

from gitscalpel.changesets.answers import Finding, GateRow
from gitscalpel.errors import ScalpelError


class Verdict(msgspec.Struct, frozen=True):
    """One gate's answer.

    Attributes:
        name, status, findings, seconds: as the answer lists them.
        error: what the caller is told where it failed.
        notes: what else there is to say, in words.
        output: what its command printed, at the end.
        unchecked: what it could not judge, and why, in words.
        where: where its programs ran; "": it has none.
        rules: names of the rules that were asked.
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
        """As an answer lists it."""
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
