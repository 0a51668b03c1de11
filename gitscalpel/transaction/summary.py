"""Summary of a change: the rows of its answer, and its commit message.

A definition that disappears from one file and appears alike in another is reported as a move.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

import msgspec
from msgspec import UNSET

from gitscalpel.changesets.answers import (
    EditFinding,
    Facts,
    IntentRow,
    OperationRow,
    Remark,
    quote_for_line,
    quote_path,
)
from gitscalpel.changesets.operations import (
    AddressedOperation,
    CopyFile,
    Move,
    MovedFiles,
    MoveFile,
    NameFollowingOperation,
    Remove,
    Rename,
    Write,
)
from gitscalpel.edit.outcome import OperationResult, Outcome
from gitscalpel.errors import ScalpelError
from gitscalpel.gates.verdict import Verdict
from gitscalpel.syntax.addresses import resolve_address
from gitscalpel.syntax.symbol_changes import Intent

_VERBS = {"add": "Add", "delete": "Delete", "rename": "Rename", "move": "Move"}
_NAMED = 2
"""Maximum number of symbols that a message names; further ones are counted."""


def _describe_step(done: OperationResult) -> str:
    """Return a short description of what one operation did to one file."""
    path = quote_for_line(done.path)
    if isinstance(done.op, NameFollowingOperation):
        return _describe_following(done.op, path)
    if isinstance(done.op, CopyFile):
        verb = "Move" if isinstance(done.op, MoveFile) else "Copy"
        return f"{verb} {quote_for_line(done.op.path)} to {path}"
    if done.after is None:
        return f"Remove {path}"
    if done.before is None:
        return f"Add {path}"
    if isinstance(done.op, (Write, Remove)):
        return f"Replace {path}"
    changed = _describe_symbols(done.intents)
    return f"{changed} in {path}" if changed else f"Edit {path}"


def _describe_following(op: NameFollowingOperation, path: str) -> str:
    if isinstance(op, Rename):
        return f"Rename {op.symbol or op.name} to {op.to}"
    if isinstance(op, Move):
        return f"Move {op.symbol} to {quote_for_line(op.to_path) if op.to_path else op.to}"
    return f"Change the imports of {path}"


def _describe_symbols(intents: Sequence[Intent]) -> str:
    """Return a description of the changes of symbols; empty if there are none."""
    kinds: dict[str, set[str]] = {}
    all_names = {intent.symbol for intent in intents}
    for intent in intents:
        if any(intent.symbol.startswith((f"{name}.", f"{name}[")) for name in all_names):
            continue  # the enclosing symbol is enough
        name = f"{intent.symbol} to {_new_name(intent)}" if intent.to else intent.symbol
        kinds.setdefault(name, set()).add(intent.kind)
    all_kinds = set().union(*kinds.values()) if kinds else set()
    names = list(kinds)
    if not names:
        return ""
    verb = _VERBS.get(next(iter(all_kinds)), "Change") if len(all_kinds) == 1 else "Change"
    if all_kinds == {"signature_change"} and all(intent.defines for intent in intents):
        verb = "Change the signature of"
    more = len(names) - _NAMED
    shown = f"{', '.join(names[:_NAMED])} and {more} more" if more > 0 else " and ".join(names)
    return f"{verb} {shown}"


def _new_name(intent: Intent) -> str:
    """Return the new name, or the whole new path if more than the name has changed."""
    to, parent = str(intent.to), intent.symbol.rpartition(".")[0]
    return to.removeprefix(f"{parent}.") if parent else to


_TOLD = ("findings", "affected", "propagated", "stale_docs")
"""Fields with effects on other files, which gates do not find again."""


def describe_outcome(outcome: Outcome) -> tuple[str, ...]:
    first = {done.index: done for done in reversed(outcome.done) if isinstance(done.op, Rename)}
    shown = [
        done
        for done in outcome.done
        if first.get(done.index, done) is done
        and not isinstance(done.op, MovedFiles)  # one for all its files
    ]
    return tuple(map(_describe_step, shown))


def collect_facts(outcome: Outcome, verdicts: Iterable[Verdict], unchecked: Iterable[str]) -> Facts:
    """Return operations, intents and verdicts as an answer lists them, with notes on what was not checked."""
    verdicts = tuple(verdicts)
    intents = tuple(_intent_rows(outcome))
    if {"add", "delete"} <= {row.kind for row in intents}:
        intents = tuple(join_moves(outcome, intents))
    said = (*unchecked, *(words for verdict in verdicts for words in verdict.unchecked))
    return Facts(
        ops=tuple(_operation_row(done) for done in outcome.done),
        intents=intents,
        gates=tuple(verdict.row for verdict in verdicts),
        affected=tuple(outcome.affected) or UNSET,
        propagated=tuple(outcome.propagated) or UNSET,
        stale_docs=tuple(outcome.stale_docs) or UNSET,
        unchecked=tuple(map(str, said)),
        findings=_findings_of(said) or UNSET,
    )


def add_findings(facts: Facts, said: Iterable[str]) -> Facts:
    """Return the facts with the findings among more texts."""
    findings = tuple(dict.fromkeys((*(facts.findings or ()), *_findings_of(said))))
    return msgspec.structs.replace(facts, findings=findings or UNSET)


def _findings_of(said: Iterable[str]) -> tuple[EditFinding, ...]:
    return tuple(each.finding for each in said if isinstance(each, Remark))


def add_step_facts(facts: Facts, step: Facts) -> Facts:
    """Return the facts of a transaction after one more step, before gates judge them together."""
    both = {
        field: (*(getattr(facts, field) or ()), *(getattr(step, field) or ())) for field in ("ops", *_TOLD)
    }
    more = {field: rows or UNSET for field, rows in both.items() if field != "ops"}
    unchecked = tuple(dict.fromkeys((*facts.unchecked, *step.unchecked)))
    return msgspec.structs.replace(facts, ops=both["ops"], unchecked=unchecked, risk=UNSET, **more)


def replace_judgements(facts: Facts, now: Facts, said: Container[str]) -> Facts:
    """Return the facts of a transaction after gates have judged it as a whole.

    The notes ``said``, which are those of the steps themselves, are kept.
    """
    kept = {field: getattr(facts, field) for field in ("ops", *_TOLD)}
    of_steps = tuple(each for each in facts.findings or () if each.text in said)
    kept["findings"] = tuple(dict.fromkeys((*of_steps, *(now.findings or ())))) or UNSET
    unchecked = (*(words for words in facts.unchecked if words in said), *now.unchecked)
    return msgspec.structs.replace(now, unchecked=tuple(dict.fromkeys(unchecked)), **kept)


def warnings(outcome: Outcome, verdicts: Iterable[Verdict]) -> tuple[str, ...]:
    own = [warning for done in outcome.done for warning in done.warnings]
    found = [(verdict.name, finding) for verdict in verdicts for finding in verdict.findings]
    return (*map(str, own), *(f"{name}: {f.path}:{f.line}: {f.message}" for name, f in found))


def _operation_row(done: OperationResult) -> OperationRow:
    edit = done.edit
    return OperationRow(
        op=done.op.word,
        path=quote_path(done.path),
        before=done.before,
        after=done.after,
        hash=done.hash,
        corrections=tuple(edit.corrections) if edit else (),
        symbol=(done.op.symbol or UNSET) if isinstance(done.op, AddressedOperation) else UNSET,
        matched=(edit and edit.matched) or UNSET,
        replacements=len(edit.splices) if edit and edit.matched else UNSET,
        lead=(edit and edit.lead) or UNSET,
    )


def _intent_rows(outcome: Outcome) -> Iterable[IntentRow]:
    overlay = outcome.overlay
    came_from = _find_moves(outcome)
    for change in outcome.changes:
        if change.path in came_from.values():
            continue
        both = overlay.before(came_from.get(change.path, change.path)), overlay.content(change.path)
        for intent in outcome.intents(change.path, *both):
            yield IntentRow(
                kind=intent.kind, symbol=intent.symbol, path=quote_path(change.path), to=intent.to or UNSET
            )


def _find_moves(outcome: Outcome) -> dict[str, str]:
    """Return the old paths of new files that an operation moved, or that equal a deleted file."""
    overlay = outcome.overlay
    gone = {overlay.before(c.path): c.path for c in outcome.changes if c.new is None}
    new = [c.path for c in outcome.changes if c.old is None]
    pairs = ((path, gone.pop(overlay.content(path), None)) for path in (new if gone else ()))
    found = {path: old for path, old in pairs if old is not None}
    steps = {done.op.to: done.op.path for done in outcome.done if isinstance(done.op, MoveFile)}
    is_left = {c.path for c in outcome.changes if c.new is None}
    return found | {path: steps[path] for path in new if steps.get(path) in is_left}


def join_moves(outcome: Outcome, rows: Sequence[IntentRow]) -> Iterator[IntentRow]:
    """Yield the intents, joining each deletion and addition that together are a move."""
    came = [row for row in rows if row.kind == "add"]
    moves: dict[int, IntentRow] = {}
    for row in rows:
        found = next((each for each in came if row.kind == "delete" and _is_move(outcome, row, each)), None)
        if found is not None:
            came.remove(found)
            moves[id(found)] = row
            moves[id(row)] = found
    for row in rows:
        other = moves.get(id(row))
        if other is None:
            yield row
        elif row.kind == "delete":
            yield msgspec.structs.replace(row, kind="move", to=f"{other.path}::{other.symbol}")


def _is_move(outcome: Outcome, gone: IntentRow, new: IntentRow) -> bool:
    if gone.path == new.path:
        return False
    asked = (each.op for each in outcome.done if isinstance(each.op, Move))
    if any(
        (quote_path(op.path), op.symbol, quote_path(op.to_path or op.path))
        == (gone.path, gone.symbol, new.path)
        and new.symbol == (op.to or op.symbol)
        for op in asked
    ):
        return True
    if gone.symbol.rpartition(".")[2] != new.symbol.rpartition(".")[2]:
        return False
    was, now = _definition_text(outcome, gone, before=True), _definition_text(outcome, new, before=False)
    return was is not None and was == now


def _definition_text(outcome: Outcome, row: IntentRow, *, before: bool) -> tuple[str, list[bytes]] | None:
    """Return the kind of a definition and its text without layout, or None if it cannot be determined."""
    raw = (outcome.overlay.before if before else outcome.overlay.content)(row.path)
    source = None if raw is None else outcome.read(row.path, raw).judged
    if source is None:
        return None
    try:
        symbol = resolve_address(source, f"/{row.symbol}")
    except ScalpelError:
        return None
    return symbol.kind, source.syntax.text[symbol.start : symbol.end].split()
