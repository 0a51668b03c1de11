"""The hook ``pre-push``: only commits that landed through a transaction, past every gate, are pushed.

A commit passes if the operation log contains it, or contains a commit with exactly the same files (after
an amended message, for example). Commits on a remote-tracking branch are public already and not checked.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from gitscalpel.changesets.answers import Judged, short, subject
from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import GateRefused, Misconfigured
from gitscalpel.errors.messages import arg, call
from gitscalpel.git import commits, oplog, refs, remotes
from gitscalpel.workspace import Workspace

_MOVES = ("land", "undo", "redo")
_SHOWN = 5


def check(ws: Workspace, told: str) -> Judged:
    """Look for every commit that would be pushed in the operation log.

    Args:
        ws: where.
        told: what git tells the hook: a line for each ref. None of these: as the pre-commit framework says.

    Raises:
        GateRefused: ``gate_failed``: some have not landed.
    """
    pushed = [oid for new, known in _wanted(ws, told) for oid in commits.find_new(ws.here, new, known)]
    oids = tuple(dict.fromkeys(pushed))
    unknown = _unknown(ws, oids)
    if unknown:
        raise _refusal(ws, oids, unknown, told)
    return Judged(target="@pushed", commits=oids)


def _wanted(ws: Workspace, told: str) -> Iterator[tuple[str, Sequence[str]]]:
    """What is to be pushed, each with what the other side holds in its place.

    What :func:`gitscalpel.transaction.push.push.push` publishes has been judged, on what is there already.
    """
    told_by = ws.session.environment.get
    judged = told_by(remotes.PUSHED)
    for line in told.splitlines():
        _, new, ref, old = line.rsplit(" ", 3)
        if new.strip("0") and new != judged and not ref.startswith(refs.OURS):
            yield new, (old,) if old.strip("0") and ws.holds(Oid(old)) else ()
    if told.strip():
        return
    tip = told_by("PRE_COMMIT_TO_REF") or told_by("PRE_COMMIT_LOCAL_BRANCH")
    known = told_by("PRE_COMMIT_FROM_REF")
    if tip and tip != judged:
        yield tip, (known,) if known else ()


def _unknown(ws: Workspace, oids: Sequence[Oid]) -> list[Oid]:
    """Those of the commits that the log does not know, nor anything that holds the same files."""
    left = dict.fromkeys(oids)
    landed: list[Oid] = []
    for entry in oplog.read(ws.repo) if left else ():
        record = entry.record
        if record.kind not in _MOVES:
            continue
        made = [Oid(oid) for oid in (record.after, record.adopted) if oid is not None]
        for oid in made:
            left.pop(oid, None)
        landed += made
        if not left:
            return []
    trees = {ws.store.commit(oid).tree for oid in landed if ws.holds(oid)} if left else set()
    return [oid for oid in left if ws.store.commit(oid).tree not in trees and not _is_correction(ws, oid)]


def _is_correction(ws: Workspace, oid: Oid) -> bool:
    """Return True if a commit does no more than correct rules that could not be read.

    No transaction can land on such rules, so it is made with git, as the refusal of every landing asks for.
    """
    from gitscalpel.changesets import config

    commit = ws.store.commit(oid)
    if len(commit.parents) != 1:
        return False
    files = ws.store.difference(ws.store.tree_of(commit.parents[0]), commit.tree)
    if [change.path for change in files] != [config.PATH]:
        return False
    try:
        ws.rules(ws.snapshot(oid))
    except Misconfigured:
        return False
    try:
        ws.rules(ws.snapshot(commit.parents[0]))
    except Misconfigured as error:
        return bool(error.data.get("path"))
    return False


def _refusal(ws: Workspace, oids: Sequence[Oid], unknown: list[Oid], told: str) -> GateRefused:
    oldest = unknown[-1]
    named = [f"{oid[:10]} {subject(ws.store.commit(oid).message)}" for oid in unknown[:_SHOWN]]
    more = f"; and {len(unknown) - _SHOWN} more" if len(unknown) > _SHOWN else ""
    below = next(iter(ws.store.commit(oldest).parents), None)
    return GateRefused(
        "gate_failed",
        f"{len(unknown)} of {len(oids)} commits have not landed through a transaction, so not every gate "
        f"has passed them: {'; '.join(named)}{more}",
        _hint(below, _branch_elsewhere(ws, told)),
        commits=unknown,
    )


def _hint(below: Oid | None, branch: str) -> str:
    """Return how commits get through: in one transaction on the commit ``below`` them, if there is one."""
    asks_nobody = "`git push --no-verify`, which asks nobody"
    if below is None:
        return f"no transaction can make the first commit of a repository: look at them, then {asks_nobody}"
    switch = f"`git switch {shlex.quote(branch)}`, " if branch else ""
    return (
        f"make one transaction of them: {switch}`git reset --soft {below[:10]}`, then "
        f"{call('begin', adopt='.')} and {call('land', tx='ID')} "
        f"({arg('message')} takes what they said: `git log --format=%B {below[:10]}..ORIG_HEAD`); "
        f"or {asks_nobody}"
    )


def _branch_elsewhere(ws: Workspace, told: str) -> str:
    """Return the branch that is pushed if another one is checked out, or ""."""
    pushed = [line.rsplit(" ", 3)[0] for line in told.splitlines()]
    heads = [ref for ref in pushed if ref.startswith("refs/heads/")]
    return short(heads[0]) if heads and ws.here.head not in heads else ""
