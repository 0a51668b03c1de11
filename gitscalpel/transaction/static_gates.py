"""Static gates: those that only read a change, without starting programs or asking people.

The gates run in order. The first refusal is reported, or every refusal on request.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial

import msgspec

from gitscalpel.changesets import answers
from gitscalpel.changesets.file_tree import Change, Changes, Oid, Overlay, Snapshot
from gitscalpel.changesets.rules import Policy, Rules
from gitscalpel.edit.outcome import Outcome
from gitscalpel.edit.source import Source, conflict_line, first_marker_line
from gitscalpel.errors import DoesNotFit
from gitscalpel.gates import structure_gate, syntax_gate
from gitscalpel.gates.policy import rules_gate
from gitscalpel.gates.verdict import Verdict
from gitscalpel.git.repository import Repository
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.transaction import candidate
from gitscalpel.transaction.candidate import Candidate, Meta
from gitscalpel.transaction.open_transaction import changed
from gitscalpel.workspace import Workspace

BY_HAND = ("syntax", "structure", "policy", "docs")
"""The gates that judge what somebody has made with git, by name and in order."""


def judge(
    outcome: Outcome, rules: Rules, allow_broken: bool = False, *, whole: bool = False
) -> tuple[Verdict, ...]:
    """Every gate's verdict, up to the first that refuses.

    Args:
        outcome: the change.
        rules: of its target.
        allow_broken: the caller accepts that a file no longer parses.
        whole: it is all of a transaction, not a step of one.
    """
    broken = allow_broken and rules.policy.allow_broken
    gates: dict[str, Callable[[], Verdict]] = {
        "syntax": lambda: (
            syntax_gate.judge(outcome, broken, rules.gates)
            if rules.gates.syntax
            else Verdict("syntax", "skipped")
        ),
        "structure": lambda: structure_gate.judge(outcome, rules.gates.structure),
        **_of_team(outcome, rules, whole=whole),
    }
    verdicts: list[Verdict] = []
    for verdict in _said(outcome, rules, gates):
        verdicts.append(verdict)
        if verdict.error is not None:
            break
    return tuple(verdicts)


def judge_by_hand(outcome: Outcome, rules: Rules, only: Collection[str] = ()) -> tuple[Verdict, ...]:
    """Every gate's verdict on a change that somebody made with git, also of those behind one that refuses.

    Args:
        outcome: the change, which no operation made.
        rules: of its target.
        only: the names of the gates to ask, of :data:`BY_HAND`; none: all that the rules ask for.
    """
    from gitscalpel.gates import structure_gate

    level = rules.gates.structure
    gates: dict[str, Callable[[], Verdict]] = {
        "syntax": lambda: (
            syntax_gate.judge(outcome, rules=rules.gates)
            if rules.gates.syntax
            else Verdict("syntax", "skipped")
        ),
        "structure": lambda: structure_gate.judge(
            outcome if level == "off" else structure_gate.read(outcome), level
        ),
        **{name: partial(Verdict, name, "skipped") for name in BY_HAND[2:] if name in only},
        **_of_team(outcome, rules, whole=True),
    }
    asked = {name: gate for name, gate in gates.items() if not only or name in only}
    return tuple(_said(outcome, rules, asked))


def _of_team(outcome: Outcome, rules: Rules, *, whole: bool) -> dict[str, Callable[[], Verdict]]:
    """The gates that there are only where the rules say so; they load what others need not."""
    gates: dict[str, Callable[[], Verdict]] = {}
    if rules.policy != Policy():
        from gitscalpel.gates.policy import policy_gate

        asked = policy_gate.OF_THE_WHOLE if whole else policy_gate.OF_EACH_STEP
        gates["policy"] = lambda: policy_gate.judge(outcome, rules.policy, asked)
    if rules.gates.docs != "off" and whole:
        from gitscalpel.gates import docs_gate

        gates["docs"] = lambda: docs_gate.judge(outcome, rules.gates.docs)
    return gates


def _said(outcome: Outcome, rules: Rules, gates: dict[str, Callable[[], Verdict]]) -> Iterator[Verdict]:
    """What gates say, one after the other; nothing but that where nobody could be judged by what is left."""
    unreadable = rules_gate.judge(outcome, rules)
    if unreadable is not None:
        yield unreadable
        return
    for gate in gates.values():
        began = time.monotonic()
        verdict = gate()
        yield msgspec.structs.replace(verdict, seconds=round(time.monotonic() - began, 4))


def run_static_gates(
    ws: Workspace, meta: Meta, files: Changes, rules: Rules
) -> tuple[Outcome, tuple[Verdict, ...]]:
    """A change of ``files`` as a whole, and every verdict on it, up to the first that refuses."""
    outcome = outcome_between(ws.snapshot(meta.base), files)
    outcome.carried = candidate.read_carried(meta.carried)
    verdicts = judge(outcome, rules, meta.allow_broken, whole=True)
    return outcome, _with_adopted(ws, meta, rules, verdicts)


def _with_adopted(
    ws: Workspace, meta: Meta, rules: Rules, verdicts: tuple[Verdict, ...]
) -> tuple[Verdict, ...]:
    """The verdicts; the policy's is that on what was adopted, a commit of its own, if that is a refusal."""
    if meta.adopted is None or rules.policy == Policy():
        return verdicts
    from gitscalpel.gates.policy import policy_gate

    base = ws.snapshot(meta.base)
    files = changed(ws, base.tree, ws.store.tree_of(meta.adopted))
    verdict = policy_gate.judge(outcome_between(base, files), rules.policy, policy_gate.OF_EACH_STEP)
    if verdict.error is None:
        return verdicts
    return (*(each for each in verdicts if each.name != policy_gate.NAME), verdict)


def run_policy_gate(ws: Workspace, change: Candidate) -> Verdict:
    """What the policy says of a transaction as a whole.

    Raises:
        NotAllowed: ``policy_denied``.
    """
    from gitscalpel.gates.policy import policy_gate

    rules = ws.at(change.meta.branch).rules
    base = ws.snapshot(change.meta.base)
    whole = policy_gate.judge(outcome_between(base, change.files), rules.policy)
    (verdict,) = _with_adopted(ws, change.meta, rules, (whole,))
    refuse([verdict])
    return verdict


def require(ws: Workspace, branch: str, before: Oid, tree: Oid) -> None:
    """Let every gate judge a tree that is to take the place of ``before`` on a branch.

    Where nobody can be judged by the branch's rules, it is by those that take their place.

    Raises:
        GateRefused: the first refusal.
    """
    old, new = (TreeSnapshot(ws.store, ws.repo.git, each) for each in (before, tree))
    rules = ws.rules(new) if rules_gate.fault(old) else ws.at(branch).rules
    refuse(judge(outcome_between(old, changed(ws, before, tree)), rules, whole=True))


def outcome_between(before: Snapshot, files: Changes) -> Outcome:
    """Changes that no operation made, as the gates look at them."""
    return Outcome(Overlay(before, {change.path: change.new for change in files}))


def refuse(verdicts: Iterable[Verdict]) -> None:
    """Raise what the first verdict that is a refusal says."""
    for verdict in verdicts:
        if verdict.error is not None:
            raise verdict.error


def refuse_outside(ws: Workspace, files: Iterable[Change]) -> None:
    """Refuse changes of files that the caller may not change.

    Raises:
        NotAllowed: ``policy_denied``.
    """
    refuse_paths(ws, (change.path for change in files))


def refuse_paths(ws: Workspace, paths: Iterable[str]) -> None:
    """Refuse to write or remove files outside of what the caller may change.

    Raises:
        NotAllowed: ``policy_denied``.
    """
    if ws.session.within is not None:
        from gitscalpel.gates import path_confinement

        path_confinement.refuse(paths, ws.session.within)


def refuse_confined(ws: Workspace, what: str) -> None:
    """Refuse a caller who may change some files only, for something that may change any.

    Raises:
        NotAllowed: ``policy_denied``.
    """
    if ws.session.within is not None:
        from gitscalpel.gates import path_confinement

        path_confinement.refuse_unconfined(what, ws.session.within)


def _once_unmerged(repo: Repository) -> frozenset[str]:
    """Return the paths in which the index knows, or knew, of a conflict."""
    from gitscalpel.git import uncommitted  # few changes hold markers

    return uncommitted.resolved_conflicts(repo, as_told=False)


def refuse_markers(repo: Repository, files: Changes) -> None:
    """Refuse conflict markers, which our own operations would refuse to edit around.

    Args:
        repo: where the files are checked out; its index knows in which of them there was a conflict.
        files: all changes.

    Raises:
        DoesNotFit: ``conflicted``.
    """
    marked = any(b"<<<<<<< " in files.after(file) for file in files)
    unmerged = _once_unmerged(repo) if marked else frozenset[str]()
    for file in files:
        line = new_conflict_line(files, file, was_unmerged=file.path in unmerged)
        if line is not None:
            raise DoesNotFit(
                "conflicted",
                f"{answers.quoted(file.path)} has conflict markers (line {line})",
                "resolve the conflict first",
                line=line,
            )


def refuse_left_markers(repo: Repository, files: Changes) -> None:
    """Refuse to leave the markers of a conflict in a file that `git add` has called resolved.

    Raises:
        DoesNotFit: ``conflicted``.
    """
    marked = [file for file in files if b"<<<<<<< " in files.after(file)]
    unmerged = _once_unmerged(repo) if marked else frozenset[str]()
    for file in marked:
        line = first_marker_line(Source.read(file.path, files.after(file)))
        if file.path in unmerged and line is not None:
            raise DoesNotFit(
                "conflicted",
                f"{answers.quoted(file.path)} has conflict markers (line {line})",
                "resolve the conflict first",
                line=line,
            )


def new_conflict_line(files: Changes, file: Change, *, was_unmerged: bool = False) -> int | None:
    """Return the line of a conflict marker in a file that contained none before.

    Args:
        files: all changes.
        file: one of them.
        was_unmerged: git had a conflict in it, so that markers are no content.
    """
    after = files.after(file)
    if b"<<<<<<< " not in after:
        return None
    find_line = first_marker_line if was_unmerged else conflict_line
    line = find_line(Source.read(file.path, after))
    if line is None or find_line(Source.read(file.path, files.before(file))) is not None:
        return None
    return line
