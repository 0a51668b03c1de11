"""State of the remote: the target branch, the transaction's branch, and the last push from here."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

import msgspec

from gitscalpel.changesets.answers import short, subject
from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import BadCall
from gitscalpel.errors.messages import arg
from gitscalpel.git import oplog, remotes
from gitscalpel.git.oplog import Record
from gitscalpel.transaction.candidate import Pushing
from gitscalpel.transaction.open_transaction import OpenTransaction
from gitscalpel.workspace import Workspace

_SLUG = 40
_STEPS = 10_000
"""Steps of the log in which an earlier push is looked for."""
_HEADS = "refs/heads/"


class There(msgspec.Struct, frozen=True):
    """The other repository, as it was when somebody looked.

    Attributes:
        remote: its name.
        target: the commit of the target branch.
        ref: the transaction's branch.
        tip: where that is; None: it is not there.
        ours: where this repository has left it; None: it has never pushed it.
        change: the commit of the transaction that went into that; the same, unless others had added to it.
        noted: where the log says that this repository has left it, which a killed push could not tell it.
    """

    remote: str
    target: Oid
    ref: str
    tip: Oid | None
    ours: Oid | None = None
    change: Oid | None = None
    noted: str | None = None


def look(ws: Workspace, staged: OpenTransaction, remote: str, branch: str | None) -> There:
    """What is there now; what is not here yet of it is fetched, and no ref moves.

    Raises:
        BadCall: ``invalid_args``: the target is not there, or is what ``branch`` names; ``invalid_name``.
        NotAllowed, InputOutput: see :func:`gitscalpel.git.remotes.heads`.
    """
    target = staged.meta.branch
    pattern = remotes.branch_ref(ws.repo, branch) if branch else f"{_HEADS}scalpel/{staged.id}-*"
    if pattern == target:
        words = f"{short(target)} is the branch that it is for"
        raise BadCall("invalid_args", words, f"name another one with {arg('branch')}, or leave that out")
    heads = remotes.heads(ws.repo, remote, [target, pattern])
    if target not in heads:
        hint = f"push it first: `git push {shlex.quote(remote)} {shlex.quote(target)}`"
        raise BadCall("invalid_args", f"{remote} has no branch {short(target)}", hint)
    ref = _own_ref(ws, staged, remote, heads.keys() - {target}, pattern)
    for wanted in filter(None, (target, ref)):
        if not ws.holds(heads[wanted]):
            remotes.fetch(ws.repo, remote, wanted)
    name = _name(staged, pattern)
    there = There(remote, heads[target], ref or name, heads.get(ref))
    last = _last(ws, staged, there)
    if last is not None:
        left = {"ours": last.after, "change": last.note.get("change", last.after), "noted": last.after}
        there = msgspec.structs.replace(there, **left)
    begun = staged.meta.pushing
    if begun is not None and _has_arrived(ws, begun, there):
        return msgspec.structs.replace(there, ours=begun.commit, change=begun.change)
    return there


def _own_ref(
    ws: Workspace, staged: OpenTransaction, remote: str, found: AbstractSet[str], pattern: str
) -> str:
    """Return the branch there that is the transaction's, or "": whoever may push there may copy its id.

    The one that this repository has pushed comes first, then the one that it would push.
    """
    begun = staged.meta.pushing
    pushed = (record.note.get("ref") for record in _pushes(ws, staged) if record.note.get("remote") == remote)
    known = (begun.ref if begun is not None and begun.remote == remote else None, *pushed)
    wanted = (*filter(None, known), _name(staged, pattern), *sorted(found))
    return next((str(ref) for ref in wanted if ref in found), "")


def _name(staged: OpenTransaction, pattern: str) -> str:
    return pattern.replace("*", _slug(staged.meta.message))


def _has_arrived(ws: Workspace, begun: Pushing, there: There) -> bool:
    """Whether a push is seen there, which may have been killed before the log said so."""
    if there.tip is None or (begun.remote, begun.ref) != (there.remote, there.ref):
        return False
    return stands_on(ws, there.tip, begun.commit)


def stands_on(ws: Workspace, tip: str, commit: str) -> bool:
    """Whether a commit is among those that lead to another."""
    return not ws.repo.git.run("merge-base", "--is-ancestor", commit, tip).status


def _last(ws: Workspace, staged: OpenTransaction, there: There) -> Record | None:
    """The step in which this repository has last pushed it to that branch."""
    where = {"remote": there.remote, "ref": there.ref}
    return next((record for record in _pushes(ws, staged) if where.items() <= record.note.items()), None)


def _pushes(ws: Workspace, staged: OpenTransaction) -> Iterator[Record]:
    """Yield the steps in which this repository has pushed the transaction, newest first."""
    steps = (entry.record for entry in oplog.since(ws.store, staged.meta.log, limit=_STEPS))
    return (step for step in steps if (step.kind, step.tx) == ("push", staged.id))


def _slug(message: str) -> str:
    """What a branch's name says of its change."""
    words = re.sub(r"[^a-z0-9]+", "-", subject(message).lower()).strip("-")
    return words[:_SLUG].rpartition("-")[0] or words if len(words) > _SLUG else words or "change"
