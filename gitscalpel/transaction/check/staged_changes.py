"""Check the staged changes of the user's index with all static gates. Nothing is written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from gitscalpel.changesets import config
from gitscalpel.changesets.answers import STAGED, Finding, Judged, quote_path
from gitscalpel.changesets.file_tree import Changes, Snapshot
from gitscalpel.changesets.rules import Rules
from gitscalpel.errors import BadCall, GateRefused, Misconfigured
from gitscalpel.errors.messages import MARKED, arg
from gitscalpel.gates.verdict import Verdict
from gitscalpel.git import uncommitted
from gitscalpel.transaction import static_gates
from gitscalpel.transaction.static_gates import new_conflict_line, outcome_between
from gitscalpel.workspace.workspace import Workspace

_OWN_CODES = ("syntax_error", "structural_gate")
"""Error codes that are kept. All others become ``gate_failed``."""


def check_staged(ws: Workspace, only: Collection[str] = ()) -> Judged:
    """Judge the staged changes against the commit that is checked out, by its rules.

    ``only`` names the gates to run. Empty for all that the rules ask for.

    Raises:
        BadCall: ``invalid_args``: a gate does not exist, or there is no index.
        DoesNotFit: ``conflicted``: a merge is not resolved.
        GateRefused: a gate failed; ``data`` contains all findings.
    """
    require_known_gates(only)
    ws.refuse_bare("ask in a clone, where something can be staged")
    head = ws.here.resolve("HEAD^{commit}")
    before = ws.snapshot(head)
    rows = uncommitted.find_staged(ws.here, head or before.tree, as_told=ws.session.folder is None)
    files = Changes(rows, ws.store.read)
    resolved = static_gates.find_resolved_conflicts(ws.here, files, as_told=ws.session.folder is None)
    verdicts = judge_changes(before, files, _rules_for(ws, before, files), only, resolved) if files else ()
    done = Judged(
        target=STAGED,
        base=head,
        paths=tuple(quote_path(change.path) for change in files),
        gates=tuple(verdict.row for verdict in verdicts),
        unchecked=tuple(words for verdict in verdicts for words in verdict.unchecked),
    )
    raise_failure(verdicts, done)
    return done


def _rules_for(ws: Workspace, before: Snapshot, files: Changes) -> Rules:
    """Return the rules of the files ``before``, or the new ones if a change replaces unreadable rules."""
    try:
        return ws.rules(before)
    except Misconfigured:
        after = outcome_between(before, files).overlay
        if after.entry(config.PATH) == before.entry(config.PATH):
            raise
        return ws.rules(after)


def require_known_gates(only: Collection[str]) -> None:
    """Raise :class:`BadCall` (``invalid_args``) if a name is not that of a static gate."""
    names = [gate.name for gate in static_gates.STATIC_GATES]
    unknown = [name for name in only if name not in names]
    if unknown:
        words = f"{arg('only', unknown[0])} is not a static gate"
        raise BadCall("invalid_args", words, f"choose one of {', '.join(names)}")


def judge_changes(
    before: Snapshot,
    files: Changes,
    rules: Rules,
    only: Collection[str] = (),
    resolved: Collection[str] = (),
) -> tuple[Verdict, ...]:
    """Return the verdicts of the static gates, or of those in ``only``, on changes to ``before``.

    Conflict markers are always reported in ``resolved``, the files that were in conflict.
    """
    verdicts = static_gates.judge_by_hand(outcome_between(before, files), rules, only)
    marked = tuple(_find_markers(files, resolved)) if not only or "syntax" in only else ()
    return tuple(
        _add_markers(verdict, marked) if verdict.name == "syntax" else verdict for verdict in verdicts
    )


def raise_failure(verdicts: Sequence[Verdict], done: Judged) -> None:
    """Raise one error for all failed gates, with every finding.

    Raises:
        GateRefused: with the message of the first failure, and its code if that is a gate's.
    """
    refusals = [verdict.error for verdict in verdicts if verdict.error is not None]
    if not refusals:
        return
    first = refusals[0]
    code = first.code if first.code in _OWN_CODES else "gate_failed"
    data: dict[str, Any] = msgspec.to_builtins(done)
    found = [{**row, "gate": gate["name"]} for gate in data["gates"] for row in gate["findings"]]
    message, hint = first.told(MARKED)
    more = f"; and {len(found) - 1} more" if len(found) > 1 else ""
    raise GateRefused(code, f"{message}{more}", hint, **{**data, "findings": found})


def _find_markers(files: Changes, resolved: Collection[str]) -> Iterator[Finding]:
    for file in files:
        line = new_conflict_line(files, file, was_unmerged=file.path in resolved)
        if line is not None:
            yield Finding(file.path, line, 1, "conflict markers")


def _add_markers(verdict: Verdict, marked: Iterable[Finding]) -> Verdict:
    """Return the verdict of the syntax gate with findings for markers, which a grammar may accept."""
    marked = tuple(marked)
    if not marked:
        return verdict
    first = marked[0]
    error = verdict.error or GateRefused(
        "syntax_error",
        f"{quote_path(first.path)} has conflict markers (line {first.line})",
        "resolve the conflict",
    )
    found = (*marked, *verdict.findings)
    return msgspec.structs.replace(verdict, status="failed", findings=found, error=error)
