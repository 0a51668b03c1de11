"""What a gate says."""

from __future__ import annotations

from typing import Literal

import msgspec

from gitscalpel.errors import ScalpelError
from gitscalpel.report import Finding, GateRow


class Verdict(msgspec.Struct, frozen=True):
    """One gate's answer; ``error`` is what the caller is told where it failed."""

    name: str
    status: Literal["passed", "failed", "skipped", "cached"]
    findings: tuple[Finding, ...] = ()
    error: ScalpelError | None = None
    seconds: float = 0.0

    @property
    def row(self) -> GateRow:
        """As an answer lists it."""
        return GateRow(name=self.name, status=self.status, seconds=self.seconds, findings=self.findings)
