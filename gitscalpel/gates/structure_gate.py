"""Check that a text edit removes, renames or redeclares only definitions that it visibly names.

No edit over several lines may do so, as there are operations for that, and no scope gets a second definition
of a name. The gate compares the symbols before and after, so comments and strings cannot trigger it. A change
made with git is checked as a patch with one exact edit in each file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from gitscalpel.changesets.answers import Finding
from gitscalpel.changesets.file_tree import SUBMODULE, SYMLINK
from gitscalpel.changesets.operations import Patch
from gitscalpel.changesets.rules import Rules, Structure
from gitscalpel.edit.file_operations import make_difference_edit
from gitscalpel.edit.outcome import DefinitionEffect, OperationResult, Outcome, inside_file_result
from gitscalpel.edit.source import Source
from gitscalpel.edit.unified_diff import Renames
from gitscalpel.errors import DoesNotFit, GateRefused, ScalpelError
from gitscalpel.gates.verdict import StaticRequest, Verdict
from gitscalpel.syntax.languages import Language, read_document
from gitscalpel.syntax.symbol_changes import Intent
from gitscalpel.syntax.symbols import Symbol

_ACTIONS = {
    "add": "adds",
    "delete": "removes",
    "rename": "renames",
    "signature_change": "changes the signature of",
}
_OPERATIONS = {"add": "insert", "delete": "delete", "rename": "text", "signature_change": "signature"}


def judge(outcome: Outcome, rules: Rules, request: StaticRequest) -> Verdict:
    """Judge every text and lines operation, and the edits of patches inside files.

    Edits of a file whose name temporarily shows no definitions are judged once the file has another name.
    """
    level = rules.gates.structure
    if level == "off":
        return Verdict("structure", "skipped", notes=("it is off",))
    if request.is_by_hand:
        outcome = _describe_as_edits(outcome)
    unread = list(outcome.unread())
    refused: list[tuple[OperationResult, ScalpelError]] = []
    for each in (outcome, *unread):
        by_file = _group_by_file(each)
        for result in each.done:
            refusals = list(_iter_file_errors(result, by_file[result.path], each)) or list(
                _iter_refusals(result, level, _language(result, each))
            )
            refused += [(result, error.at(result.index if outcome.done else None)) for error in refusals]
    if refused:
        return _verdict(refused, level)
    with_definitions = (each.language for each in outcome.sources.values() if each.judged is not None)
    judged = any(language is not None and not language.data for language in with_definitions)
    if judged or unread:
        return Verdict("structure", "passed")
    why = "no edited file has definitions" if outcome.sources else "each edit was judged when it was made"
    return Verdict("structure", "skipped", notes=(why,))


def _verdict(errors: list[tuple[OperationResult, ScalpelError]], level: Structure) -> Verdict:
    severity: Literal["error", "warning"] = "warning" if level == "warn" else "error"
    findings = tuple(
        Finding(
            result.path,
            error.data.get("line", result.after[0] if result.after else 1),
            1,
            error.message,
            severity,
        )
        for result, error in errors
    )
    if level == "warn":
        return Verdict("structure", "passed", findings)
    return Verdict("structure", "failed", findings, errors[0][1])


def _iter_refusals(
    result: OperationResult, level: Structure, language: Language | None
) -> Iterator[ScalpelError]:
    edit, effect = result.edit, result.effect
    if effect is None or edit is None or not edit.is_textual:
        return
    intents: list[Intent] = []
    if level == "strict":
        intents = _structural_intents(effect)
    elif edit.spans_lines and (level == "headers" or not edit.is_exempt):
        intents = [i for i in _structural_intents(effect) if i.kind != "add" or i.symbol in effect.torn]
    if level in ("headers", "strict") and edit.spans_lines and effect.headers and not intents:
        yield _header_error(result, effect.headers)
    if intents:
        yield _operation_error(result, intents, language)


def _structural_intents(effect: DefinitionEffect) -> list[Intent]:
    """Return the changes of definitions. Locals of functions, keys and headings do not count."""
    return [intent for intent in effect.intents if intent.kind in _ACTIONS and intent.defines]


def _group_by_file(outcome: Outcome) -> Mapping[str, list[OperationResult]]:
    by_file: defaultdict[str, list[OperationResult]] = defaultdict(list)
    for result in outcome.done:
        by_file[result.path] += [result] if result.edit is not None else []
    return by_file


def _iter_file_errors(
    result: OperationResult, edits: Sequence[OperationResult], outcome: Outcome
) -> Iterator[ScalpelError]:
    """Yield the errors for the state in which the text edits leave a file, at the last edit."""
    if not result.edit or not result.edit.is_textual or result is not _last_textual(edits):
        return
    language = _language(result, outcome)
    rebinds = language is not None and language.rebinds
    for twin in outcome.find_duplicates(result.path):
        if twin.kind != "variable" or not rebinds or any(_is_renamed(twin, each) for each in edits):
            yield _collision_error(twin)
    removed = outcome.find_unseen(result.path)
    if removed:
        yield _swallowed_error(result, [symbol.qualname for symbol in removed])


def _language(result: OperationResult, outcome: Outcome) -> Language | None:
    return outcome.sources[result.path].language if result.path in outcome.sources else None


def _is_renamed(twin: Symbol, result: OperationResult) -> bool:
    """Return True if an edit renamed another definition to this name, so that nothing is bound twice."""
    kinds = {intent.kind for intent in result.intents if twin.qualname in (intent.symbol, intent.to)}
    return "rename" in kinds or (bool(kinds) and any(intent.kind == "delete" for intent in result.intents))


def _last_textual(edits: Sequence[OperationResult]) -> OperationResult | None:
    return next((each for each in reversed(edits) if each.edit and each.edit.is_textual), None)


def _collision_error(twin: Symbol) -> DoesNotFit:
    line = twin.node.start_point.row + 1
    return DoesNotFit(
        "duplicate_symbol",
        f"line {line} would define {twin.qualname} a second time in its scope",
        f"choose another name, or use `replace` on {twin.qualname} to change the existing definition",
        symbol=twin.qualname,
        line=line,
    )


def _swallowed_error(result: OperationResult, removed: list[str]) -> GateRefused:
    names = ", ".join(removed[:5]) + (f" and {len(removed) - 5} more" if len(removed) > 5 else "")
    return GateRefused(
        "structural_gate",
        f"this {result.op.word} edit would remove {names}, which no replaced text shows",
        "close every comment, string and bracket in the new text; to remove a definition, use `delete`",
        gone=removed,
    )


def _header_error(result: OperationResult, headers: tuple[str, ...]) -> GateRefused:
    return GateRefused(
        "structural_gate",
        f"this {result.op.word} edit replaces lines that contain the header of {', '.join(headers)}",
        "edit the symbol with `replace`",
    )


def _operation_error(
    result: OperationResult, intents: list[Intent], language: Language | None
) -> GateRefused:
    changes = "; ".join(f"{_ACTIONS[i.kind]} {i.symbol}" + (f" to {i.to}" if i.to else "") for i in intents)
    data: dict[str, Any] = {"intents": [{"kind": i.kind, "symbol": i.symbol, "to": i.to} for i in intents]}
    if len(intents) == 1:
        data["operation"] = _OPERATIONS[intents[0].kind]
    hints = ["; ".join(dict.fromkeys(map(_hint, intents)))]
    can_follow = language is not None and _is_followed(language.name)
    renamed = _find_rename(_structural_intents(result.effect)) if can_follow and result.effect else None
    if renamed:
        data |= {"operation": "rename", "symbol": renamed[0], "to": renamed[1]}
        hints = [f"to rename, use rename with symbol {renamed[0]} and to {renamed[1]}; else", *hints]
    return GateRefused(
        "structural_gate",
        f"a {result.op.word} edit must not change definitions; this one {changes}",
        " ".join(hints),
        **data,
    )


def _find_rename(intents: list[Intent]) -> tuple[str, str] | None:
    """Return the symbol and the new name if the changes are, or may be, one renamed definition."""
    if len(intents) == 1 and intents[0].to:
        return intents[0].symbol, intents[0].to.rpartition(".")[2]
    by_kind = {intent.kind: intent for intent in intents}
    if len(intents) != 2 or by_kind.keys() != {"add", "delete"} or intents[0].of != intents[1].of:
        return None
    removed, (scope, _, name) = by_kind["delete"].symbol, by_kind["add"].symbol.rpartition(".")
    return (removed, name) if removed.rpartition(".")[0] == scope else None


def _is_followed(language: str) -> bool:
    from gitscalpel.names.scope_rules import is_followed  # needed only for an error

    return is_followed(language)


def _hint(intent: Intent) -> str:
    symbol = intent.symbol
    return {
        "add": f"use insert for {symbol}, with its neighbour as symbol and a position",
        "delete": f"use delete with symbol {symbol}",
        "signature_change": f"use signature with symbol {symbol} for the header, or replace for all of it",
        "rename": f"to rename {symbol}, edit its name in a single-line edit and then its uses, "
        f"or delete {symbol} and insert {intent.to}",
    }[intent.kind]


def _describe_as_edits(outcome: Outcome) -> Outcome:
    renames = Renames(outcome)
    described = msgspec.structs.replace(outcome, done=[], sources={})
    for change in outcome.changes:
        if change.new is None or change.new.mode in (SYMLINK, SUBMODULE):
            continue
        old = renames.before(change.path)
        source = None if old is None else outcome.read(change.path, old)
        if source is not None and source.language is not None:
            _add_edit(described, source, outcome.overlay.content(change.path) or b"")
    return described


def _add_edit(outcome: Outcome, source: Source, new: bytes) -> None:
    result = read_document(source.path, new)
    edit = make_difference_edit(source.text, result.text, is_exempt=True)
    if edit is None:
        return
    after = source.with_edit(edit, result)
    outcome.sources[source.path] = after
    outcome.done.append(inside_file_result(Patch(diff=""), source, after, edit))
