"""What a changeset did, as the data of its answer and as a commit message."""

from __future__ import annotations

from typing import Any

import msgspec

from gitscalpel.edit.outcome import Done, Outcome
from gitscalpel.edit.source import Source
from gitscalpel.gates.verdict import Verdict
from gitscalpel.operations import Insert, Placed
from gitscalpel.report import quoted
from gitscalpel.syntax.changes import changes
from gitscalpel.syntax.outline import Outline


def summary(outcome: Outcome) -> str:
    """A commit message for a changeset that came without one."""
    first = outcome.done[0]
    path = quoted(first.path)
    inserted = (i.symbol for i in first.intents if isinstance(first.op, Insert) and i.kind == "add")
    what = next(inserted, None) or getattr(first.op, "symbol", None) or path
    where = f" in {path}" if what != path else ""
    more = len(outcome.done) - 1
    return f"{first.op.name} {what}{where}" + (f" and {more} more edit{'s' * (more > 1)}" if more else "")


def facts(outcome: Outcome, verdicts: tuple[Verdict, ...], unchecked: list[str]) -> dict[str, Any]:
    """Operations, intents and verdicts, as an answer lists them."""
    return {
        "ops": [_operation(done) for done in outcome.done],
        "intents": _intents(outcome),
        "gates": [_gate(verdict) for verdict in verdicts],
        "unchecked": unchecked,
    }


def warnings(outcome: Outcome, verdicts: tuple[Verdict, ...]) -> list[str]:
    """What looks odd but was let through, in words."""
    odd = [warning for done in outcome.done if done.edit for warning in done.edit.warnings]
    found = [(verdict.name, finding) for verdict in verdicts for finding in verdict.findings]
    return [*odd, *(f"{name}: {f.path}:{f.line}: {f.message}" for name, f in found)]


def _operation(done: Done) -> dict[str, Any]:
    row: dict[str, Any] = {
        "op": done.op.name,
        "path": quoted(done.path),
        "before": list(done.before) if done.before else None,
        "after": list(done.after) if done.after else None,
        "corrections": list(done.edit.corrections) if done.edit else [],
        "hash": done.hash,
    }
    if isinstance(done.op, Placed) and done.op.symbol is not None:
        row["symbol"] = done.op.symbol
    if done.edit and done.edit.matched:
        row["matched"] = done.edit.matched
    if done.edit and done.edit.lead:
        row["lead"] = done.edit.lead
    return row


def _intents(outcome: Outcome) -> list[dict[str, Any]]:
    rows = []
    for change in outcome.changes:
        entry = outcome.overlay.below.entry(change.path)
        before = _outline(change.path, outcome.overlay.below.read(entry.oid) if entry else None)
        after = _outline(change.path, outcome.overlay.content(change.path))
        for intent in changes(before, after):
            row = {"kind": intent.kind, "symbol": intent.symbol, "path": quoted(change.path)}
            rows.append({**row, "to": intent.to} if intent.to else row)
    return rows


def _outline(path: str, content: bytes | None) -> Outline | None:
    return None if content is None else Source.read(path, content).outline


def _gate(verdict: Verdict) -> dict[str, Any]:
    return {
        "name": verdict.name,
        "status": verdict.status,
        "seconds": verdict.seconds,
        "findings": [msgspec.structs.asdict(finding) for finding in verdict.findings],
    }
