"""Impact of the definitions that a changeset changes on the rest of the tree."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.changesets.answers import Remark, StaleDoc, remark
from gitscalpel.changesets.operations import Move, Rename
from gitscalpel.edit.outcome import Outcome
from gitscalpel.edit.unified_diff import Renames
from gitscalpel.names.scope_rules import is_followed
from gitscalpel.names.unresolved_notes import listed_lines
from gitscalpel.refactor.definition_impact import ChangedDefinition, find_impact
from gitscalpel.refactor.documentation import find_stale
from gitscalpel.syntax.languages import recognise

_KINDS = ("delete", "rename", "signature_change")
_MOST = 8
"""Maximum number of definitions whose uses are searched; each needs a search of the tree."""


def add_impact(outcome: Outcome, *, briefly: bool = False) -> bool:
    """Note the uses of definitions that were deleted, renamed or given another signature.

    Return False if ``briefly`` and other files would have to be read.
    """
    found = list(_iter_changed(outcome))
    if found and briefly:
        return False
    outcome.unchecked += _iter_unread(outcome)
    stale = find_stale(outcome, Renames(outcome).origins)
    outcome.stale_docs += _drop_listed(stale.rows, outcome.unchecked)
    outcome.unchecked += (remark(words, kind="skipped", severity="note") for words in stale.skipped)
    if not found:
        return True
    try:
        impact = find_impact(outcome.overlay, outcome.read, found[:_MOST])
    except RecursionError:
        outcome.unchecked += _skip_remarks("uses of what has changed: the text nests too deeply")
        return True
    outcome.affected += impact.affected
    outcome.unchecked += impact.left
    if len(found) > _MOST:
        outcome.unchecked += _skip_remarks(f"uses of {len(found) - _MOST} further definitions")
    return True


def _iter_unread(outcome: Outcome) -> Iterator[str]:
    """Yield notes on the files whose definitions were not compared."""
    for path, source in outcome.sources.items():
        why = source.unread or source.before.unread
        if why:
            yield from _skip_remarks(f"structure, uses and documentation of {path}: {why}")


def _skip_remarks(what: str) -> list[Remark]:
    return [remark(f"skipped: {what}", kind="skipped", severity="note")]


def _drop_listed(rows: tuple[StaleDoc, ...], unchecked: list[str]) -> list[StaleDoc]:
    """Return the lines of documentation that are not already listed as lines with an old name."""
    if not rows or not unchecked:
        return [*rows]
    listed = listed_lines(each for each in unchecked if " is left" in each)
    return [row for row in rows if (row.path, row.line) not in listed]


def _iter_changed(outcome: Outcome) -> Iterator[ChangedDefinition]:
    """Yield the changed definitions whose uses may need an update and were not updated."""
    followed = {
        (done.path, intent.symbol)
        for done in outcome.done
        if isinstance(done.op, (Rename, Move))
        for intent in done.intents
        if intent.kind != "signature_change"
    }
    for each in outcome.changes:
        both = outcome.overlay.before(each.path), outcome.overlay.content(each.path)
        language = recognise(each.path, b"")
        if None in both or language is None or not is_followed(language.name):
            continue
        for intent in outcome.intents(each.path, *both):
            is_new = (each.path, intent.symbol) not in followed
            if intent.kind in _KINDS and intent.defines and is_new:
                yield ChangedDefinition(each.path, intent)
