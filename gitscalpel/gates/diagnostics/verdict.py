"""What the gate says, from what its witnesses and commands say of both trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from gitscalpel.changesets.answers import Remaining
from gitscalpel.changesets.rules import Diagnostics
from gitscalpel.errors import GateRefused, ScalpelError
from gitscalpel.gates.diagnostics.diagnostic import Diagnostic
from gitscalpel.gates.verdict import Verdict

NAME = "diagnostics"
_NAMED = 5
"""Places that a refusal names."""


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """What one of those who are asked says of a change.

    Attributes:
        by: its name.
        new: what the tree before does not have; None: it could not tell.
        silent: why it could not.
        error: what that comes to, where it is no matter of whom the user has installed.
        about: the paths that it has looked at.
        where: where its programs ran.
        cached: that was known.
    """

    by: str
    new: tuple[Diagnostic, ...] | None = None
    silent: str = ""
    error: ScalpelError | None = None
    about: frozenset[str] = frozenset()
    where: str = ""
    cached: bool = False


def of(level: Diagnostics, heard: Sequence[Heard], unchecked: Sequence[str]) -> Verdict:
    """The verdict; one that somebody has kept silent about has not passed.

    Args:
        level: what new errors mean.
        heard: what everybody says who was asked.
        unchecked: what nobody was asked, and why, in words.
    """
    new = news(heard)
    errors = [each for each in new if each.severity == "error"]
    silent = tuple(f"{NAME}: {each.by}: {each.silent}" for each in heard if each.new is None)
    error = _error(level, errors, heard)
    told = any(each.new is not None for each in heard)
    status: Literal["failed", "passed", "skipped"] = "passed" if told and not silent else "skipped"
    asked = f"asked: {', '.join(each.by for each in heard)}" if heard else ""
    return Verdict(
        NAME,
        "failed" if error else status,
        tuple(each.finding for each in new),
        error,
        notes=(asked,) if asked else (),
        unchecked=(*silent, *(f"{NAME}: {words}" for words in unchecked)),
        where=next((each.where for each in heard if each.where), ""),
    )


def news(heard: Sequence[Heard]) -> list[Diagnostic]:
    """What is new, by file and line; what several say alike is said once."""
    found = {each.finding: each for one in heard for each in one.new or ()}
    return sorted(found.values(), key=lambda each: (each.severity, each.path, each.line, each.column))


def remaining(new: Sequence[Diagnostic]) -> tuple[Remaining, ...]:
    """The same as an answer lists what is left."""
    rows = (each.finding for each in new)
    return tuple(Remaining(row.path, row.line, row.message, row.severity) for row in rows)


def _error(level: Diagnostics, errors: Sequence[Diagnostic], heard: Sequence[Heard]) -> ScalpelError | None:
    if level != "new-errors":
        return None
    if not errors:
        return next((each.error for each in heard if each.error is not None), None)
    findings = [each.finding for each in errors]
    places = "; ".join(f"{each.path}:{each.line}: {each.message}" for each in findings[:_NAMED])
    more = f" and {len(findings) - _NAMED} more" if len(findings) > _NAMED else ""
    count = f"{len(findings)} new error{'s' * (len(findings) > 1)}"
    return GateRefused(
        "diagnostics_failed",
        f"{count}: {places}{more}",
        "mend them in the same changeset; what the tree before has as well does not count",
        gate=NAME,
        findings=msgspec.to_builtins(findings),
        remaining=msgspec.to_builtins(remaining(errors)),
    )
