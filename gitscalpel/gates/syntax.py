"""A file that parsed must still parse; one that was broken must not become worse."""

from __future__ import annotations

import msgspec

from gitscalpel.edit.outcome import Outcome
from gitscalpel.edit.source import Source
from gitscalpel.errors import GateRefused
from gitscalpel.gates.verdict import Verdict
from gitscalpel.report import Finding
from gitscalpel.snapshot import SYMLINK
from gitscalpel.syntax.parse import SyntaxFault


def judge(outcome: Outcome, allow_broken: bool = False) -> Verdict:
    """Compare every changed file with what it was; ``allow_broken`` records a failure and lets it pass."""
    findings: list[Finding] = []
    for change in outcome.changes:
        if isinstance(change.content, bytes) and change.mode != SYMLINK:  # where a link leads is no code
            before = outcome.overlay.before(change.path)
            edited = [done.after for done in outcome.done if done.path == change.path and done.after]
            findings += _at_edits(_worse(change.path, before, change.content), edited)
    if not findings:
        return Verdict("syntax", "passed")
    if allow_broken:
        return Verdict("syntax", "failed", tuple(findings))
    first = findings[0]
    error = GateRefused(
        "syntax_error",
        f"{first.path} would no longer parse: line {first.line}, column {first.column}: {first.message}",
        "correct the new text; what only parses as a whole goes into one changeset",
        findings=[msgspec.structs.asdict(finding) for finding in findings],
    )
    error.op = _blamed(outcome, first.path)
    return Verdict("syntax", "failed", tuple(findings), error)


def _at_edits(findings: list[Finding], edited: list[tuple[int, int]]) -> list[Finding]:
    """The findings at the edited lines first; a parser often reports a fault far above its cause."""
    near = [f for f in findings if any(first <= f.line <= last + 1 for first, last in edited)]
    if near or not findings or not edited:
        return near or findings
    here = Finding(findings[0].path, edited[0][0], 1, "the file does not parse with this edit")
    return [here, *findings]


def _worse(path: str, before: bytes | None, after: bytes) -> list[Finding]:
    old, new = _faults(path, before or b""), _faults(path, after)
    if len(new) <= len(old):
        return []
    known = {fault.message for fault in old}
    fresh = [fault for fault in new if fault.message not in known] or new
    return [Finding(path, fault.line, fault.column, fault.message) for fault in fresh]


def _faults(path: str, content: bytes) -> tuple[SyntaxFault, ...]:
    syntax = Source.read(path, content).syntax
    return syntax.faults if syntax else ()


def _blamed(outcome: Outcome, path: str) -> int | None:
    """The operation at fault, where only one touched the file."""
    touching = {done.index for done in outcome.done if done.path == path}
    return touching.pop() if len(touching) == 1 else None
