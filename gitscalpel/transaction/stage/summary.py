"""What a changeset did, as the rows of its answer and as a commit message."""

from __future__ import annotations

from collections.abc import Container, Iterable

import msgspec
from msgspec import UNSET

from gitscalpel.changesets.answers import Facts, IntentRow, OperationRow, quoted
from gitscalpel.changesets.operations import Moved, MoveFile, Placed, Rename
from gitscalpel.edit.outcome import Done, Outcome
from gitscalpel.gates.verdict import Verdict
from gitscalpel.transaction.stage import wording

_TOLD = ("affected", "propagated", "stale_docs")
"""What operations come to elsewhere, which no judge finds out again."""


def steps(outcome: Outcome) -> tuple[str, ...]:
    """What was done, in a few words for each operation."""
    first = {done.index: done for done in reversed(outcome.done) if isinstance(done.op, Rename)}
    told = [
        done
        for done in outcome.done
        if first.get(done.index, done) is done and not isinstance(done.op, Moved)  # one for all its files
    ]
    return tuple(map(wording.step, told))


def facts(outcome: Outcome, verdicts: Iterable[Verdict], unchecked: Iterable[str]) -> Facts:
    """Operations, intents and verdicts, as an answer lists them, and what nobody could check."""
    verdicts = tuple(verdicts)
    return Facts(
        ops=tuple(_operation(done) for done in outcome.done),
        intents=_with_moves(outcome, tuple(_intents(outcome))),
        gates=tuple(verdict.row for verdict in verdicts),
        affected=tuple(outcome.affected) or UNSET,
        propagated=tuple(outcome.propagated) or UNSET,
        stale_docs=tuple(outcome.stale_docs) or UNSET,
        unchecked=(*unchecked, *(words for verdict in verdicts for words in verdict.unchecked)),
    )


def grown(facts: Facts, step: Facts) -> Facts:
    """What is known of a transaction after one more step, which nobody has judged with it yet."""
    both = {
        field: (*(getattr(facts, field) or ()), *(getattr(step, field) or ())) for field in ("ops", *_TOLD)
    }
    more = {field: rows or UNSET for field, rows in both.items() if field != "ops"}
    unchecked = tuple(dict.fromkeys((*facts.unchecked, *step.unchecked)))
    return msgspec.structs.replace(facts, ops=both["ops"], unchecked=unchecked, risk=UNSET, **more)


def judged_again(facts: Facts, now: Facts, said: Container[str]) -> Facts:
    """What is known of a transaction once it is judged as a whole.

    Args:
        facts: what was known of its steps.
        now: what those who judge say of it.
        said: what the steps have said themselves, which still holds.
    """
    kept = {field: getattr(facts, field) for field in ("ops", *_TOLD)}
    unchecked = (*(words for words in facts.unchecked if words in said), *now.unchecked)
    return msgspec.structs.replace(now, unchecked=tuple(dict.fromkeys(unchecked)), **kept)


def warnings(outcome: Outcome, verdicts: Iterable[Verdict]) -> tuple[str, ...]:
    """What looks odd but was let through, in words."""
    odd = [warning for done in outcome.done for warning in done.warnings]
    found = [(verdict.name, finding) for verdict in verdicts for finding in verdict.findings]
    return (*odd, *(f"{name}: {f.path}:{f.line}: {f.message}" for name, f in found))


def _operation(done: Done) -> OperationRow:
    edit = done.edit
    return OperationRow(
        op=done.op.word,
        path=quoted(done.path),
        before=done.before,
        after=done.after,
        hash=done.hash,
        corrections=tuple(edit.corrections) if edit else (),
        symbol=(done.op.symbol or UNSET) if isinstance(done.op, Placed) else UNSET,
        matched=(edit and edit.matched) or UNSET,
        replacements=len(edit.splices) if edit and edit.matched else UNSET,
        lead=(edit and edit.lead) or UNSET,
    )


def _intents(outcome: Outcome) -> Iterable[IntentRow]:
    overlay = outcome.overlay
    came_from = _moved(outcome)
    for change in outcome.changes:
        if change.path in came_from.values():
            continue
        both = overlay.before(came_from.get(change.path, change.path)), overlay.content(change.path)
        for intent in outcome.intents(change.path, *both):
            yield IntentRow(
                kind=intent.kind, symbol=intent.symbol, path=quoted(change.path), to=intent.to or UNSET
            )


def _with_moves(outcome: Outcome, rows: tuple[IntentRow, ...]) -> tuple[IntentRow, ...]:
    if not {"add", "delete"} <= {row.kind for row in rows}:
        return rows
    from gitscalpel.transaction.stage.moved import together

    return tuple(together(outcome, rows))


def _moved(outcome: Outcome) -> dict[str, str]:
    """Return the former paths of new files that an operation moved, or that have the content of one gone."""
    overlay = outcome.overlay
    gone = {overlay.before(c.path): c.path for c in outcome.changes if c.new is None}
    new = [c.path for c in outcome.changes if c.old is None]
    pairs = ((path, gone.pop(overlay.content(path), None)) for path in (new if gone else ()))
    found = {path: old for path, old in pairs if old is not None}
    steps = {done.op.to: done.op.path for done in outcome.done if isinstance(done.op, MoveFile)}
    is_left = {c.path for c in outcome.changes if c.new is None}
    return found | {path: steps[path] for path in new if steps.get(path) in is_left}
