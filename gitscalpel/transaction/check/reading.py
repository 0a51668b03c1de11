"""What can be said of a change by reading it: by every gate that starts no program and asks nobody."""

from __future__ import annotations

from collections.abc import Iterable

from gitscalpel.changesets import answers
from gitscalpel.changesets.file_tree import Change, Changes, Oid, Overlay, Snapshot
from gitscalpel.changesets.rules import Policy, Rules
from gitscalpel.edit.outcome import Outcome
from gitscalpel.edit.source import Source, conflict_line, first_marker_line
from gitscalpel.errors import DoesNotFit
from gitscalpel.gates import configuration
from gitscalpel.gates.run import judge
from gitscalpel.gates.verdict import Verdict
from gitscalpel.git.repository import Repository
from gitscalpel.git.tree_snapshot import TreeSnapshot
from gitscalpel.transaction.candidate import Candidate, Meta
from gitscalpel.transaction.shadow import changed
from gitscalpel.transaction.stage import carrying
from gitscalpel.workspace import Workspace


def read(ws: Workspace, meta: Meta, files: Changes, rules: Rules) -> tuple[Outcome, tuple[Verdict, ...]]:
    """A change of ``files`` as a whole, and every verdict on it, up to the first that refuses."""
    outcome = between(ws.snapshot(meta.base), files)
    outcome.carried = carrying.read(meta.carried)
    verdicts = judge(outcome, rules, meta.allow_broken, whole=True)
    return outcome, _with_adopted(ws, meta, rules, verdicts)


def _with_adopted(
    ws: Workspace, meta: Meta, rules: Rules, verdicts: tuple[Verdict, ...]
) -> tuple[Verdict, ...]:
    """The verdicts; the policy's is that on what was adopted, a commit of its own, if that is a refusal."""
    if meta.adopted is None or rules.policy == Policy():
        return verdicts
    from gitscalpel.gates.policy import judge as policies

    base = ws.snapshot(meta.base)
    files = changed(ws, base.tree, ws.store.tree_of(meta.adopted))
    verdict = policies.judge(between(base, files), rules.policy, policies.OF_EACH_STEP)
    if verdict.error is None:
        return verdicts
    return (*(each for each in verdicts if each.name != policies.NAME), verdict)


def policy(ws: Workspace, change: Candidate) -> Verdict:
    """What the policy says of a transaction as a whole.

    Raises:
        NotAllowed: ``policy_denied``.
    """
    from gitscalpel.gates.policy import judge as policies

    rules = ws.at(change.meta.branch).rules
    base = ws.snapshot(change.meta.base)
    whole = policies.judge(between(base, change.files), rules.policy)
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
    rules = ws.rules(new) if configuration.fault(old) else ws.at(branch).rules
    refuse(judge(between(old, changed(ws, before, tree)), rules, whole=True))


def between(before: Snapshot, files: Changes) -> Outcome:
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
        from gitscalpel.gates import confinement

        confinement.refuse(paths, ws.session.within)


def refuse_confined(ws: Workspace, what: str) -> None:
    """Refuse a caller who may change some files only, for something that may change any.

    Raises:
        NotAllowed: ``policy_denied``.
    """
    if ws.session.within is not None:
        from gitscalpel.gates import confinement

        confinement.refuse_unconfined(what, ws.session.within)


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
