"""The hook ``pre-receive`` of a server: check each pushed commit by the rules of its branch.

Each commit is compared with its first parent. In a merge, only files that differ from every parent are
checked. Commits that are already on a branch are not checked again. git keeps the pushed objects in
quarantine until the hook passes, and the hook writes no refs and no permanent objects.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec

from gitscalpel.changesets import config
from gitscalpel.changesets.answers import Finding, Judged, subject
from gitscalpel.changesets.file_tree import Change, Changes, Oid
from gitscalpel.changesets.rules import Rules
from gitscalpel.errors import GateRefused, Misconfigured
from gitscalpel.gates.verdict import Verdict
from gitscalpel.git import commits, oplog
from gitscalpel.transaction.candidate import Candidate, Meta
from gitscalpel.transaction.check import staged_changes
from gitscalpel.transaction.open_transaction import changed
from gitscalpel.workspace import Workspace

_HEADS = "refs/heads/"
_STEPS = 20
"""Changes of the rules that are looked through for some that can be read."""


def check(ws: Workspace, told: str) -> Judged:
    """Judge what is pushed.

    Args:
        ws: the repository that receives it.
        told: what git tells the hook: a line for each ref.

    Raises:
        GateRefused: ``gate_failed``, with every finding: nothing of the push is taken.
    """
    oids: list[Oid] = []
    found: list[dict[str, Any]] = []
    unchecked: list[str] = []
    for line in told.splitlines():
        old, new, ref = line.split(" ", 2)
        if not ref.startswith(_HEADS) or not new.strip("0"):
            continue
        branch = ref if old.strip("0") else ws.repo.head
        tip = ws.tip(branch) if branch else None
        if branch is None or tip is None:
            unchecked.append(f"{ref}: there is no branch yet whose rules would count")
            continue
        rules = _rules_for(ws, tip, Oid(new))
        for commit in reversed(commits.find_new(ws.repo, new, beside="--branches")):
            verdicts = tuple(_verdicts(ws, commit, branch, rules))
            oids.append(commit)
            found += [row for verdict in verdicts for row in _rows(ws, commit, verdict)]
            unchecked += [f"{commit[:10]}: {words}" for verdict in verdicts for words in verdict.unchecked]
    done = Judged(target="@received", commits=tuple(oids), unchecked=tuple(unchecked))
    if found:
        raise _refusal(found, done)
    return done


def _rules_for(ws: Workspace, tip: Oid, new: Oid) -> Rules:
    """Return the rules at the tip of a branch; if they cannot be read, the last ones that could.

    A push onto unreadable rules has to correct them: otherwise no push could.

    Raises:
        Misconfigured: ``config_error``: the push leaves rules that cannot be read.
    """
    try:
        return ws.rules(ws.snapshot(tip))
    except Misconfigured as error:
        if not error.data.get("path"):
            raise
        try:
            corrected = ws.rules(ws.snapshot(new))
        except Misconfigured as still:
            hint = f"push a commit that corrects {config.PATH}; a push that leaves it so is not taken"
            raise still.but(hint=hint) from None
        return _last_readable(ws, tip) or corrected


def _last_readable(ws: Workspace, tip: Oid) -> Rules | None:
    """Return the rules that the history of ``tip`` held last and that can be read, or None."""
    for commit in commits.find_changing(ws.repo, tip, config.PATH, limit=_STEPS):
        parent = next(iter(ws.store.commit(commit).parents), None)
        with suppress(Misconfigured):
            return ws.rules(ws.snapshot(parent)) if parent else None
    return None


def _verdicts(ws: Workspace, commit: Oid, branch: str, rules: Rules) -> Iterator[Verdict]:
    parents = ws.store.commit(commit).parents
    base = next(iter(parents), None)
    files = _own(ws, commit, parents)
    if not files:
        return
    yield from staged_changes.judge(ws.snapshot(base), files, rules)
    if rules.ask_people and len(parents) < 2:
        yield from _people(ws, Candidate(_named(ws, commit), commit, Meta(branch=branch, base=base), files))


def _own(ws: Workspace, commit: Oid, parents: tuple[Oid, ...]) -> Changes:
    """The files that a commit changes: of a merge those that are as none of its parents has them."""
    tree = ws.store.commit(commit).tree
    sides = [changed(ws, ws.store.tree_of(parent), tree) for parent in parents or (None,)]
    shared = set[str].intersection(*({change.path for change in side} for side in sides))
    rows: list[Change] = [change for change in sides[0] if change.path in shared]
    return Changes(rows, ws.store.read)


def _people(ws: Workspace, change: Candidate) -> Iterator[Verdict]:
    """Who has to agree and has not; an approval that anybody could have written is none."""
    from gitscalpel.transaction.check import approval_gate

    standing = approval_gate.approval_status(ws, change)
    for stage in standing.stages:
        if stage.missing and stage.rule.signers:
            words = f"{stage.missing} more have to agree ({stage.rule.key}): {'; '.join(stage.needed.why)}"
            path = min(stage.needed.paths or (each.path for each in change.files))
            yield Verdict("approval", "failed", (Finding(path, 1, 1, words),), _no())


def _no() -> GateRefused:
    return GateRefused("gate_failed", "people have to agree", "push the operation log that says they have")


def _named(ws: Workspace, commit: Oid) -> str:
    """The transaction that a commit is the landing of, as this repository's log has it."""
    made = (entry.record for entry in oplog.read(ws.repo) if entry.record.kind == "land")
    return next((record.tx for record in made if record.after == commit), "")


def _rows(ws: Workspace, commit: Oid, verdict: Verdict) -> Iterator[dict[str, Any]]:
    if verdict.error is None:
        return
    what = f"{commit[:10]} {subject(ws.store.commit(commit).message)}"
    found = verdict.findings or (Finding(".gitscalpel.toml", 1, 1, verdict.error.message),)
    for each in found:
        if each.severity == "error":
            yield {**msgspec.structs.asdict(each), "gate": verdict.name, "commit": what}


def _refusal(found: list[dict[str, Any]], done: Judged) -> GateRefused:
    first = found[0]
    more = f"; and {len(found) - 1} more" if len(found) > 1 else ""
    return GateRefused(
        "gate_failed",
        f"{first['commit']}: {first['path']}:{first['line']}: {first['message']}{more}",
        "amend these commits, or make them anew, and push again; approvals count once the operation log that "
        "has them was pushed (`git push REMOTE refs/scalpel/ops`)",
        **{**msgspec.to_builtins(done), "findings": found},
    )
