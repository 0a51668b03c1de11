"""Runs the configured commands on exactly the tree that is to land, in a worktree.

What a command said about a tree is remembered, so that nothing is run twice. Files that are pinned are
the target's while commands run, and a tree in which a command changed a file has not been checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gitscalpel.changesets.file_tree import Changes, Oid
from gitscalpel.changesets.globs import Globs
from gitscalpel.changesets.rules import Command, Rules
from gitscalpel.edit.outcome import Outcome
from gitscalpel.gates.commands import line, memory, verdict
from gitscalpel.gates.verdict import Verdict
from gitscalpel.transaction.candidate import Candidate
from gitscalpel.transaction.check.said import Asked, Said
from gitscalpel.transaction.commands.checks import Checks, Ended, Known, NotRun, files_of
from gitscalpel.transaction.worktrees.furnishing import refuse_untrusted
from gitscalpel.workspace import Target, Workspace


def pending(_: Workspace, rules: Rules, outcome: Outcome) -> Iterator[str]:
    """Which commands have still to judge a change, in words."""
    for gate in rules.gates.judging:
        if not gate.paths or line.concerned(gate, outcome.changes):
            yield f"gates.command {gate.name} has not run yet; it runs on check or land"


def judge(ws: Workspace, change: Candidate, asked: Asked) -> Said | None:
    """The verdict of every configured command on a change, which leads from the tip of its branch.

    Raises:
        NotAllowed: ``untrusted``.
        ScalpelError: no worktree can be made ready for them, or the cluster does not answer.
    """
    files = change.files if asked.files is None else asked.files
    fresh = asked.fresh or ws.session.environment.get(memory.VARIABLE) == "1"
    verdicts = _verdicts(ws, change, files, fresh=fresh)
    known = all(each.status in ("cached", "skipped") and change.knows(each.name) for each in verdicts)
    return None if known and not asked.again else Said(verdicts)


def _verdicts(ws: Workspace, change: Candidate, files: Changes, *, fresh: bool) -> tuple[Verdict, ...]:
    target = ws.at(change.meta.branch)
    gates = target.rules.gates
    refuse_untrusted(ws, change.meta.branch, target.rules)
    tree, base = ws.store.commit(change.head).tree, target.snapshot.tree
    checks = Checks(ws, change, target, files, fresh=fresh)
    seen, exists = pinned(ws, target, files, tree), files_of(ws, tree)
    verdicts: dict[str, Verdict] = {}
    waiting = gates.judging
    while waiting:
        after = checks.on(seen, waiting, {name for name, verdict in verdicts.items() if not verdict.error})
        doubtful = [gate for gate in waiting if gate.baseline and _has_failed(after[gate.name])]
        before = checks.on(base, doubtful, {gate.name for gate in gates.judging}) if doubtful and base else {}
        for gate in waiting:
            verdicts[gate.name] = _verdict(gate, after[gate.name], before.get(gate.name), exists)
        # What comes after one that has failed as it did before has not been asked yet.
        excused = {gate.name for gate in doubtful if not verdicts[gate.name].error}
        waiting = tuple(gate for gate in waiting if _is_behind(after[gate.name])) if excused else ()
    return tuple(verdicts[gate.name] for gate in gates.judging)


def pinned(ws: Workspace, target: Target, files: Changes, tree: Oid) -> Oid:
    """The tree that commands see: as it is to land, but with the pinned files as the target has them."""
    if not target.rules.gates.pinned:
        return tree
    globs = Globs(target.rules.gates.pinned)
    found = [(file.path, file.old) for file in files if globs.concern(file)]
    return ws.store.write_tree(tree, found) if found else tree


def _has_failed(known: Known) -> bool:
    return isinstance(known, Ended) and known.ran.how == "failed"


def _is_behind(known: Known) -> bool:
    return isinstance(known, NotRun) and known.behind


def _verdict(gate: Command, known: Known, before: Known | None, exists: Callable[[str], bool]) -> Verdict:
    if isinstance(known, NotRun):
        return Verdict(gate.name, "skipped", notes=(known.why,))
    ran = before.ran if isinstance(before, Ended) else None
    return verdict.of(gate, known.ran, ran, exists, cached=known.cached)
