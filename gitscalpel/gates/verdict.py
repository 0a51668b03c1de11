"""What a gate says."""

from __future__ import annotations

from typing import Literal

import msgspec

from gitscalpel.errors import ScalpelError


class Finding(msgspec.Struct, frozen=True):
    """One place that a gate points at; ``line`` and ``column`` count from 1."""

    path: str
    line: int
    column: int
    message: str
    severity: Literal["error", "warning"] = "error"


class Verdict(msgspec.Struct, frozen=True):
    """One gate's answer; ``error`` is what the caller is told where it failed."""

    name: str
    status: Literal["passed", "failed", "skipped"]
    findings: tuple[Finding, ...] = ()
    error: ScalpelError | None = None
    seconds: float = 0.0
