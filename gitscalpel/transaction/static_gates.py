"""Run the static gates on a change: those that only read it, without programs or approvals.

Other checks of a change are here as well: paths that the caller may not change, and conflict markers.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NoReturn

import msgspec

from gitscalpel.changesets import answers, config
from gitscalpel.changesets.file_tree import Change as FileChange
from gitscalpel.changesets.file_tree import Changes, Oid, Overlay, Snapshot, read_content
from gitscalpel.changesets.paths import Globs
from gitscalpel.changesets.rules import GATES, Policy, Rules
from gitscalpel.edit.outcome import Outcome
from gitscalpel.edit.source import Source, conflict_line, first_marker_line
from gitscalpel.errors import DoesNotFit, Misconfigured, NotAllowed
from gitscalpel.gates.verdict import StaticRequest, Verdict
from gitscalpel.git import uncommitted
from gitscalpel.git.repository import Repository
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.system import serialization
from gitscalpel.transaction.change import Change, Meta, diff_trees, spell_origins
from gitscalpel.workspace.workspace import Workspace

STATIC_GATES = tuple(gate for gate in GATES if gate.stage == "static")


def judge(
    outcome: Outcome, rules: Rules, allow_broken: bool = False, *, whole: bool = False
) -> tuple[Verdict, ...]:
    """Return the verdicts of the static gates, up to the first failure.

    ``allow_broken`` accepts that a file no longer parses. ``whole`` is True for a transaction as a whole,
    False for a step of one.
    """
    request = StaticRequest(allow_broken and rules.policy.allow_broken, whole)
    verdicts: list[Verdict] = []
    for verdict in _iter_verdicts(outcome, rules, request):
        verdicts.append(verdict)
        if verdict.error is not None:
            break
    return tuple(verdicts)


def judge_by_hand(outcome: Outcome, rules: Rules, only: Collection[str] = ()) -> tuple[Verdict, ...]:
    """Return the verdicts of all static gates, also after a failure, on a change that was made with git.

    ``only`` names the gates that judge. Empty for all that the rules ask for.
    """
    return tuple(_iter_verdicts(outcome, rules, StaticRequest(is_by_hand=True), only))


def _iter_verdicts(
    outcome: Outcome, rules: Rules, request: StaticRequest, only: Collection[str] = ()
) -> Iterator[Verdict]:
    """Yield the verdict of each gate. If the change makes the rules unreadable, yield only a failure."""
    if any(_is_rules_change(change, rules) for change in outcome.changes):
        error = rules_error(outcome.overlay)
        if error is not None:
            hint = "correct the new text; nothing could land under it"
            yield Verdict("configuration", "failed", error=error.but(hint=hint))
            return
    for gate in STATIC_GATES:
        if (only and gate.name not in only) or (gate.is_of_whole and not request.is_whole):
            continue
        if gate.is_on(rules):
            began = time.monotonic()
            verdict: Verdict = gate.load().judge(outcome, rules, request)
            yield msgspec.structs.replace(verdict, seconds=round(time.monotonic() - began, 4))
        elif gate.is_listed or gate.name in only:
            yield Verdict(gate.name, "skipped", notes=("it is off",))


def _is_rules_change(change: FileChange, rules: Rules) -> bool:
    """Return True if a change affects the rules. Globs cost start-up time, and few rules have any."""
    if change.path == config.PATH or change.path.startswith(f"{config.PATH}/"):
        return True
    return bool(rules.policy.rules) and Globs(rules.policy.rules).concern(change)


def rules_error(files: Snapshot) -> Misconfigured | None:
    """Return the error if the rules in ``files`` cannot be read or applied. None if they can.

    Files are checked, not edits, so that moved files, links or directories in place of the configuration, and
    files that the rules name are included.

    Raises:
        Misconfigured: ``unavailable``: a library is not installed on this machine.
    """
    try:
        config.require_regular_file(files.entry(config.PATH))
        rules = config.parse_rules(read_content(files, config.PATH), {})
        _compile_globs(rules)
        if rules.policy.rules:
            from gitscalpel.gates.policy import ast_grep_rules  # few changes concern rules

            list(ast_grep_rules.read_rules(files, rules.policy.rules))
    except Misconfigured as error:
        if error.code != "config_error":
            raise
        return error
    return None


def _compile_globs(rules: Rules) -> None:
    policy = rules.policy
    symbols = [each for stage in rules.stages for each in stage.symbols]
    named = [each.partition("::")[0] for each in (*policy.protected, *symbols)]
    lists = [policy.allow or (), policy.deny, policy.rules, policy.secrets_allowed, rules.gates.pinned]
    lists += [*(stage.paths for stage in rules.stages), *(gate.paths for gate in rules.gates.command)]
    lists += [each.paths for each in rules.suggest]
    lists += [globs for rule in policy.require for globs in (rule.change, rule.needs)]
    Globs([*named, *(glob for globs in lists for glob in globs)])


def run_static_gates(
    ws: Workspace, meta: Meta, files: Changes, rules: Rules
) -> tuple[Outcome, tuple[Verdict, ...]]:
    """Return a change of ``files`` as a whole, and the verdicts on it up to the first failure."""
    outcome = outcome_between(ws.snapshot(meta.base), files)
    outcome.carried = spell_origins(meta.carried, serialization.decode_path)
    verdicts = judge(outcome, rules, meta.allow_broken, whole=True)
    return outcome, _judge_adopted(ws, meta, rules, verdicts)


def _judge_adopted(
    ws: Workspace, meta: Meta, rules: Rules, verdicts: tuple[Verdict, ...]
) -> tuple[Verdict, ...]:
    """Return the verdicts, with that of the policy on an adopted commit if the policy rejects it."""
    if meta.adopted is None or rules.policy == Policy():
        return verdicts
    base = ws.snapshot(meta.base)
    files = diff_trees(ws, base.tree, ws.store.tree_of(meta.adopted))
    verdict = _judge_policy(outcome_between(base, files), rules, is_whole=False)
    if verdict.error is None:
        return verdicts
    return (*(each for each in verdicts if each.name != verdict.name), verdict)


def _judge_policy(outcome: Outcome, rules: Rules, *, is_whole: bool) -> Verdict:
    from gitscalpel.gates.policy import policy_gate  # few repositories have a policy

    return policy_gate.judge(outcome, rules, StaticRequest(is_whole=is_whole))


def run_policy_gate(ws: Workspace, change: Change) -> Verdict:
    """Return the verdict of the policy on a transaction as a whole. Raises ``policy_denied``."""
    rules = ws.at(change.meta.branch).rules
    base = ws.snapshot(change.meta.base)
    whole = _judge_policy(outcome_between(base, change.files), rules, is_whole=True)
    (verdict,) = _judge_adopted(ws, change.meta, rules, (whole,))
    raise_failure([verdict])
    return verdict


def require_passing_tree(ws: Workspace, branch: str, before: Oid, tree: Oid) -> None:
    """Raise unless the static gates pass a tree that replaces ``before`` on a branch.

    If the rules of the branch cannot be read, those of the new tree apply.
    """
    old, new = (TreeSnapshot(ws.store, ws.repo.git, each) for each in (before, tree))
    rules = ws.rules(new) if rules_error(old) else ws.at(branch).rules
    raise_failure(judge(outcome_between(old, diff_trees(ws, before, tree)), rules, whole=True))


def outcome_between(before: Snapshot, files: Changes) -> Outcome:
    """Return changes that no operation made in the form that gates judge."""
    return Outcome(Overlay(before, {change.path: change.new for change in files}))


def raise_failure(verdicts: Iterable[Verdict]) -> None:
    for verdict in verdicts:
        if verdict.error is not None:
            raise verdict.error


def require_allowed_changes(ws: Workspace, files: Iterable[FileChange]) -> None:
    """Raise ``policy_denied`` if a change is outside the paths that the caller may change."""
    if ws.session.within is not None:
        require_allowed_paths(ws, (change.path for change in files))


def require_allowed_paths(ws: Workspace, paths: Iterable[str]) -> None:
    """Raise if a path is outside the paths that the caller may change.

    The allowed paths belong to the session, for callers that share a server, while the policy belongs to the
    target. Therefore this is not a gate with a recorded verdict: each edit, landing and undo calls it.

    Raises:
        NotAllowed: ``policy_denied``.
    """
    within = ws.session.within
    if within is None:
        return
    allowed = Globs(within)
    outside = [answers.quote_path(path) for path in paths if not allowed.match(path)]
    if outside:
        more = f" and {len(outside) - _MAX_SHOWN} more" if len(outside) > _MAX_SHOWN else ""
        _refuse_within(
            within,
            f"this changes {', '.join(outside[:_MAX_SHOWN])}{more}",
            "leave that part out, or ask for access to these paths",
            outside,
        )


def require_unconfined(ws: Workspace, what: str) -> None:
    """Raise for an action that may change any file if the caller may change only some files.

    Raises:
        NotAllowed: ``policy_denied``.
    """
    within = ws.session.within
    if within is None or (
        _MATCH_ALL.intersection(within) and not any(glob.startswith("!") for glob in within)
    ):
        return
    _refuse_within(within, f"{what} may change any file", "use edits, or ask for access to all paths", [])


def _refuse_within(within: Sequence[str], why: str, hint: str, outside: list[str]) -> NoReturn:
    may = f"you may change {', '.join(within) or 'nothing'}"
    raise NotAllowed("policy_denied", f"{may}, and {why}", hint, paths=outside, within=list(within))


_MAX_SHOWN = 5
_MATCH_ALL = frozenset({"*", "**", "/**", "**/*"})
"""Globs that match every path."""


def find_resolved_conflicts(repo: Repository, files: Changes, *, as_told: bool = False) -> frozenset[str]:
    """Return the files in which git had a conflict. git is asked only if a file has conflict markers."""
    if not any(b"<<<<<<< " in files.after(file) for file in files):
        return frozenset()
    return uncommitted.find_resolved_conflicts(repo, as_told=as_told)


def require_no_new_markers(repo: Repository, files: Changes) -> None:
    """Raise if a file has new conflict markers, around which no operation could edit.

    The index of ``repo`` records in which files there was a conflict.

    Raises:
        DoesNotFit: ``conflicted``.
    """
    unmerged = find_resolved_conflicts(repo, files)
    for file in files:
        _refuse_line(file, new_conflict_line(files, file, was_unmerged=file.path in unmerged))


def require_no_left_markers(repo: Repository, files: Changes) -> None:
    """Raise if a file that `git add` has marked as resolved contains conflict markers.

    Raises:
        DoesNotFit: ``conflicted``.
    """
    unmerged = find_resolved_conflicts(repo, files)
    for file in files:
        if file.path in unmerged and b"<<<<<<< " in files.after(file):
            _refuse_line(file, first_marker_line(Source.read(file.path, files.after(file))))


def _refuse_line(file: FileChange, line: int | None) -> None:
    if line is not None:
        raise DoesNotFit(
            "conflicted",
            f"{answers.quote_path(file.path)} has conflict markers (line {line})",
            "resolve the conflict first",
            line=line,
        )


def new_conflict_line(files: Changes, file: FileChange, *, was_unmerged: bool = False) -> int | None:
    """Return the line of a conflict marker in a file that contained none before. None if there is none.

    If git had a conflict in the file (``was_unmerged``), markers are not content.
    """
    after = files.after(file)
    if b"<<<<<<< " not in after:
        return None
    find_line = first_marker_line if was_unmerged else conflict_line
    line = find_line(Source.read(file.path, after))
    if line is None or find_line(Source.read(file.path, files.before(file))) is not None:
        return None
    return line
