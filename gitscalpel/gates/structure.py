"""Multi-line text and line edits must not change definitions: there are operations that know them.

Judged from the symbols before and after, so comments and strings cannot trip
it and an arrow function cannot slip through.
"""

from __future__ import annotations

from typing import Any, Literal

from gitscalpel.edit.outcome import Done, Outcome
from gitscalpel.errors import GateRefused
from gitscalpel.gates.verdict import Verdict
from gitscalpel.report import Finding
from gitscalpel.rules import Structure
from gitscalpel.syntax.changes import Intent

_WORDS = {
    "add": "adds",
    "delete": "removes",
    "rename": "renames",
    "signature_change": "changes the signature of",
}
_OPERATIONS = {"add": "insert", "delete": "delete", "rename": "text", "signature_change": "signature"}


def judge(outcome: Outcome, level: Structure) -> Verdict:
    """Judge every text and lines operation, and what patches do inside files."""
    if level == "off":
        return Verdict("structure", "skipped")
    for done in outcome.done:
        found = _structural(done, level)
        if found is None:
            continue
        message = f"a {done.op.name} edit {found}"
        severity: Literal["error", "warning"] = "warning" if level == "warn" else "error"
        finding = Finding(done.path, done.after[0] if done.after else 1, 1, message, severity)
        if level == "warn":
            return Verdict("structure", "passed", (finding,))
        error = _refusal(done, found)
        error.op = done.index
        return Verdict("structure", "failed", (finding,), error)
    return Verdict("structure", "passed")


def _structural(done: Done, level: Structure) -> str | None:
    """What the operation does to definitions, in words; None where that is allowed."""
    edit = done.edit
    if edit is None or edit.replaced is None or edit.inserted is None:
        return None
    several = _spans_lines(edit.replaced) or _spans_lines(edit.inserted)
    if level != "strict" and (edit.is_exempt or not several):
        return None
    found = _intents(done)
    if found:
        return "; ".join(f"{_WORDS[i.kind]} {i.symbol}" + (f" to {i.to}" if i.to else "") for i in found)
    if several and level == "strict" and done.headers:
        return f"replaces lines that hold the header of {', '.join(done.headers)}"
    return None


def _intents(done: Done) -> list[Intent]:
    """What it did to definitions; locals of functions, keys and headings are none."""
    return [intent for intent in done.intents if intent.kind in _WORDS and intent.defines]


def _spans_lines(text: bytes) -> bool:
    return b"\n" in text.removesuffix(b"\n")


def _refusal(done: Done, found: str) -> GateRefused:
    intents = _intents(done)
    hints = list(dict.fromkeys(_hint(intent) for intent in intents)) or ["use replace on the symbol"]
    data: dict[str, Any] = {"intents": [{"kind": i.kind, "symbol": i.symbol, "to": i.to} for i in intents]}
    if len(intents) == 1:
        data["operation"] = _OPERATIONS[intents[0].kind]
    return GateRefused(
        "structural_gate",
        f"a {done.op.name} edit must not change definitions; this one {found}",
        "; ".join(hints),
        **data,
    )


def _hint(intent: Intent) -> str:
    symbol = intent.symbol
    return {
        "add": f"use insert for {symbol}, with its neighbour as symbol and a position",
        "delete": f"use delete with symbol {symbol}",
        "signature_change": f"use signature with symbol {symbol} for the header, or replace for all of it",
        "rename": f"to rename {symbol}, edit its name in a single-line edit and then its uses, "
        f"or delete {symbol} and insert {intent.to}",
    }[intent.kind]
