"""Run the gates on a whole change: first the static gates, then programs, then approvals.

``GATES`` of ``changesets/rules.py`` lists them. Verdicts are recorded with the change, and the first failure
is raised. :func:`run_all` runs before a landing. Under the lock, :func:`require_approvals` checks again,
since a person may have rejected the change in the meantime.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import msgspec
from msgspec import UNSET

from gitscalpel.changesets.answers import Facts
from gitscalpel.changesets.file_tree import Changes, Oid
from gitscalpel.changesets.rules import Gate, Rules
from gitscalpel.edit.outcome import Outcome
from gitscalpel.errors.messages import arg
from gitscalpel.gates.verdict import Verdict
from gitscalpel.transaction import gate_result, static_gates, summary, worktree
from gitscalpel.transaction.change import Change, Meta, diff_trees, name_in_errors
from gitscalpel.transaction.gate_result import (
    PEOPLE_GATES,
    PROGRAM_GATES,
    GateRequest,
    GateResult,
    load_gate,
)
from gitscalpel.workspace.workspace import Workspace

_MAX_ROUNDS = 3
"""Maximum number of runs of gates whose programs change the tree."""


def pending(
    ws: Workspace,
    rules: Rules,
    outcome: Outcome,
    gates: Sequence[Gate] | None = None,
    *,
    require_approval: bool = False,
) -> dict[str, tuple[str, ...]]:
    """Return notes on the checks that are still pending after the static gates, by gate."""
    notes = {
        gate.name: tuple(load_gate(gate).pending(ws, rules, outcome))
        for gate in ((*PROGRAM_GATES, *PEOPLE_GATES) if gates is None else gates)
        if gate_result.is_concerned(ws, gate, rules)
    }
    if require_approval:
        approval = f"{arg('require_approval')} needs an approval to land"
        notes["approval"] = (*notes.get("approval", ()), approval)
    return {name: words for name, words in notes.items() if words}


def check(ws: Workspace, staged: Change, *, fresh: bool = False, fix: bool = True) -> Change:
    """Run every gate except approvals on an open transaction, and record the verdicts.

    ``fresh`` ignores cached verdicts. ``fix`` applies fixes that are safe and unambiguous.

    Raises:
        GateRefused: the first failure, which is recorded as well.
        NotAllowed: ``policy_denied`` or ``untrusted``.
        WorldMoved: ``dirty_overlap``: its worktree contains edits that are not staged.
    """
    with name_in_errors(staged):
        worktree.require_staged(ws, staged)
        staged = _run_static(ws, staged)
        return _run_gates(ws, staged, PROGRAM_GATES, GateRequest(fresh=fresh, again=True, fix=fix))


def run_all(ws: Workspace, change: Change) -> Change:
    """Return the change after every gate except approvals has passed; raises as :func:`check` does.

    Gates that have judged it do not run again.
    """
    (change,) = run_together(ws, [run_alone(ws, change)])
    return change


def run_alone(ws: Workspace, change: Change) -> Change:
    """Run the gates that judge each change alone. Those of a stack run in :func:`run_together`."""
    change = change if change.meta.checked else _run_static(ws, change)
    programs = [gate for gate in PROGRAM_GATES if not gate.is_of_stack]
    return _run_gates(ws, change, programs, GateRequest(fix=True))


def run_together(ws: Workspace, stack: Sequence[Change]) -> list[Change]:
    """Run the gates that judge a stack of changes once, on its last tree; raises as :func:`check` does.

    The gates also get all files that change on the way to that tree.
    """
    *others, last = stack
    request = GateRequest()
    if others:
        before = ws.at(last.meta.branch).snapshot.tree
        request = GateRequest(files=diff_trees(ws, before, last.tree(ws)))
    for gate in PROGRAM_GATES:
        if gate.is_of_stack:
            last = _run_gate(ws, last, gate, request)
    return [*others, last]


def is_concerned(ws: Workspace, rules: Rules, outcome: Outcome, *, is_committed: bool) -> bool:
    """Return True if programs judge a tree; ``is_committed`` if a commit is made for the tree."""
    return bool(pending(ws, rules, outcome, _program_gates(is_committed=is_committed)))


def ask_programs(ws: Workspace, change: Change, *, is_committed: bool) -> Change:
    """Return the change with the verdicts of programs; ``is_committed`` is that of :func:`is_concerned`."""
    return _run_gates(ws, change, _program_gates(is_committed=is_committed), GateRequest())


def _program_gates(*, is_committed: bool) -> list[Gate]:
    return [gate for gate in PROGRAM_GATES if is_committed or not gate.is_of_commits]


def require_approvals(ws: Workspace, change: Change, next_command: str = "") -> Change:
    """Return the change after all required approvals; ``next_command`` is for the hint, to run after them.

    Raises:
        NotAllowed: ``policy_denied``: the landing user may not change these files, though the author may.
        WaitsForPerson: ``rejected`` or ``approval_required``.
    """
    static_gates.require_allowed_changes(ws, change.files)
    for gate in PEOPLE_GATES:
        change = _run_gate(ws, change, gate, GateRequest(next_command=next_command))
    return change


def _run_gates(ws: Workspace, change: Change, gates: Sequence[Gate], request: GateRequest) -> Change:
    """Return the change with the results of gates. All gates run again if one of them changes the tree."""
    for _ in range(_MAX_ROUNDS):
        tree = change.tree(ws)
        for gate in gates:
            change = _run_gate(ws, change, gate, request)
        if change.tree(ws) == tree:
            break
        request = GateRequest()
    return change


def _run_gate(ws: Workspace, change: Change, gate: Gate, request: GateRequest) -> Change:
    """Return the change with the result of a gate; static gates judge again if it changed the tree."""
    result, by = _ask_gate(ws, change, gate, request)
    now = change.refresh(ws)  # people may have decided while programs ran, which may take minutes
    change = now if now.head == change.head else change
    notes = {name: words for name, words in change.meta.pending.items() if name != gate.name}
    if result is None:
        is_known = notes == change.meta.pending
        return change if is_known else change.with_meta(ws, change.meta.but(pending=notes))
    meta, files, tree = change.meta, change.files, change.tree(ws)
    meta = result.update_meta(meta) if result.update_meta else meta
    verdicts = result.verdicts
    if result.tree is not None and result.tree != tree:
        tree = result.tree
        files = diff_trees(ws, ws.store.tree_of(meta.base), tree)
        meta, read = judge_statically(ws, meta, files, ws.at(meta.branch).rules)
        verdicts = (*read, *verdicts)
    names = [verdict.name for verdict in result.verdicts]
    rows = (row for row in meta.facts.gates if row.name not in names)
    facts = msgspec.structs.replace(meta.facts, gates=(*rows, *(each.row for each in result.verdicts)))
    facts = _update_facts(facts, change.meta.facts, gate, result)
    passed = all(verdict.error is None for verdict in verdicts)
    if by and all(verdict.error is None for verdict in result.verdicts):
        meta = meta.but(passed={**meta.passed, gate.name: _input_digest(meta, tree, by)})
    notes = {name: words for name, words in meta.pending.items() if name != gate.name}
    checked = passed if verdicts else meta.checked
    meta = meta.but(facts=facts, pending=notes, checked=checked)
    after = change.revise(ws, tree, meta, files)
    if tree != change.tree(ws) and after.is_open:
        worktree.update_worktree(ws, after)
    static_gates.raise_failure(verdicts)
    return after


def _ask_gate(
    ws: Workspace, change: Change, gate: Gate, request: GateRequest
) -> tuple[GateResult | None, str]:
    """Return the result of a gate, or None, and the digest of its programs, or an empty string."""
    meta = change.meta
    people_decide = gate.stage == "people" and (meta.decided or meta.require_approval)
    if not people_decide and not gate_result.is_concerned(ws, gate, ws.at(meta.branch).rules):
        return None, ""
    module = load_gate(gate)
    digest = getattr(module, "judge_digest", None)
    by: str = digest(ws) if digest else ""  # before the gate judges: programs may change themselves
    if by and meta.passed.get(gate.name) == _input_digest(meta, change.tree(ws), by):
        cached = GateResult((Verdict(gate.name, "cached"),))
        return (cached if request.again or not change.knows(gate.name) else None), by
    return module.judge(ws, change, request), by


def _update_facts(facts: Facts, before: Facts, gate: Gate, result: GateResult) -> Facts:
    prefix = f"{gate.name}: "
    unchecked = [words for words in facts.unchecked if not words.startswith(prefix)]
    unchecked += [words for verdict in result.verdicts for words in verdict.unchecked]
    facts = msgspec.structs.replace(facts, unchecked=tuple(unchecked))
    if result.fixed is not None:
        fixed = tuple(dict.fromkeys((*(before.fixed or ()), *result.fixed)))
        facts = msgspec.structs.replace(facts, fixed=fixed)
    if result.remaining is not None:
        facts = msgspec.structs.replace(facts, remaining=result.remaining or UNSET)
    return facts


def _input_digest(meta: Meta, tree: Oid, by: str) -> str:
    words = "\0".join((meta.base or "", tree, meta.message, by)).encode("utf-8", "surrogateescape")
    return blake2b(words, digest_size=16).hexdigest()


def _run_static(ws: Workspace, change: Change) -> Change:
    meta, verdicts = judge_statically(ws, change.meta, change.files, ws.at(change.meta.branch).rules)
    after = change.with_meta(ws, meta)
    static_gates.raise_failure(verdicts)
    return after


def judge_statically(
    ws: Workspace, meta: Meta, files: Changes, rules: Rules
) -> tuple[Meta, tuple[Verdict, ...]]:
    outcome, verdicts = static_gates.run_static_gates(ws, meta, files, rules)
    facts = summary.replace_judgements(
        meta.facts, summary.collect_facts(outcome, verdicts, ()), meta.warnings
    )
    passed = all(verdict.error is None for verdict in verdicts)
    notes = pending(ws, rules, outcome, require_approval=meta.require_approval)
    return meta.but(facts=facts, pending=notes, checked=passed), verdicts
