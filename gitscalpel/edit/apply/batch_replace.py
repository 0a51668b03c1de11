"""Replace several definitions of one file in one pass, with one parse for all of them.

The result is the same as if the operations were done one by one: the definitions do not overlap, each
name still means the same definition after all edits, the file parses before and afterwards, and nothing
else changes. Without that certainty there is no plan. The operations are then done one by one, which
also gives the error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from gitscalpel.changesets.operations import Replace
from gitscalpel.edit import placeholder_expansion, preconditions
from gitscalpel.edit.outcome import PlannedEdit, find_effect
from gitscalpel.edit.source import Edit, Source
from gitscalpel.edit.symbols import replace, trial_parse
from gitscalpel.edit.symbols.address_resolution import locate
from gitscalpel.errors import ScalpelError
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbol_changes import Evidence, Intent, changes
from gitscalpel.syntax.symbols import Span, Symbol
from gitscalpel.syntax.syntax_errors import faults
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice


def plan_batch(operations: Sequence[Replace], source: Source) -> list[PlannedEdit] | None:
    """Return the planned edits of all ``operations`` in order, or None if they cannot be batched."""
    try:
        before = source.judged
        if before is None or faults(before.syntax):
            return None
        targets = [locate(op, source) for op in operations]
        edits = _make_edits(operations, targets, source)
        return _plan_all(operations, targets, edits, source) if edits else None
    except ScalpelError:
        return None


def _make_edits(
    operations: Sequence[Replace], targets: Sequence[Symbol], source: Source
) -> list[Edit] | None:
    """Return the edits, each on the text of ``source``."""
    for op, target in zip(operations, targets, strict=True):
        preconditions.check_symbol(op, target, source)
    fitted = [
        replace.fit_replacement(op, target, source) for op, target in zip(operations, targets, strict=True)
    ]
    splices = [Splice(each.target.outer, each.target.end, each.code) for each in fitted]
    if not _are_on_separate_lines(splices, source) or not all(
        replace.is_ended(each, source) for each in fitted
    ):
        return None
    after = source.after(sorted(splices))
    if faults(after):
        return None
    found = dict(zip(sorted(splices), splice.find_results(sorted(splices)), strict=True))
    trials = [trial_parse.Trial(source.text, after, Span(*found[each]), None) for each in splices]
    gone = [(each.start, each.end) for each in splices]
    if _list_outside(source.outline, gone) != _list_outside(trials[0].outline, list(found.values())):
        return None
    edits = []
    for each, trial in zip(fitted, trials, strict=True):
        edits.append(
            replace.join_replacement(each, trial, replace.find_replacement(each, trial, source), source)
        )
    return (
        edits
        if edits == [placeholder_expansion.expand_placeholders(edit, source) for edit in edits]
        else None
    )


def _are_on_separate_lines(splices: Sequence[Splice], source: Source) -> bool:
    """Return True if no two splices share a line."""
    return all(
        one.end <= other.start and b"\n" in source.text[one.end : other.start]
        for one, other in pairwise(sorted(splices))
    )


def _list_outside(outline: Outline, spans: Sequence[tuple[int, int]]) -> list[tuple[tuple[str, ...], str]]:
    """Return the path and kind of each definition outside all ``spans``."""
    apart = Counter(id(symbol) for span in spans for symbol in outline.outside(*span))
    return [symbol.identity for symbol in outline.walk() if apart[id(symbol)] == len(spans)]


def _plan_all(
    operations: Sequence[Replace], targets: Sequence[Symbol], edits: Sequence[Edit], source: Source
) -> list[PlannedEdit] | None:
    """Return the edits, each on the text left by those before it, with their effects on symbols."""
    made = [each.splices[0] for each in edits]
    if not _are_on_separate_lines(made, source):
        return None
    after = source.edited(Edit(tuple(sorted(made)), (0, 0)))
    was, now = source.outline, after.outline
    each_did = _group_by_target(changes(was, now, Evidence(by_place=True)), targets)
    if each_did is None or faults(now.syntax):
        return None
    places = dict(zip(sorted(made), splice.find_results(sorted(made)), strict=True))
    if not all(_contains(places[own], locate(op, after)) for op, own in zip(operations, made, strict=True)):
        return None
    planned = []
    for number, (op, edit, own) in enumerate(zip(operations, edits, made, strict=True)):
        before = [each for each in made[:number] if each.start < own.start]
        shift = sum(len(each.new) - (each.end - each.start) for each in before)
        did = find_effect(op, (was, now), edit, [places[own]], each_did[number])
        planned.append((_move_edit(edit, shift), did))
    return planned


def _contains(place: tuple[int, int], symbol: Symbol) -> bool:
    return place[0] <= symbol.start and symbol.end <= place[1]


def _move_edit(edit: Edit, shift: int) -> Edit:
    return msgspec.structs.replace(
        edit,
        splices=tuple(Splice(each.start + shift, each.end + shift, each.new) for each in edit.splices),
        target=(edit.target[0] + shift, edit.target[1] + shift),
    )


def _group_by_target(intents: Sequence[Intent], targets: Sequence[Symbol]) -> list[tuple[Intent, ...]] | None:
    """Return the intents of each target and its members, or None if anything else changed."""
    names = [target.qualname for target in targets]
    found = [
        tuple(
            each
            for each in intents
            if each.symbol == name or each.symbol.startswith((f"{name}.", f"{name}["))
        )
        for name in names
    ]
    return found if sum(map(len, found)) == len(intents) and len(set(names)) == len(names) else None
