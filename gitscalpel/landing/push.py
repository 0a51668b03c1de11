"""Publish an open transaction as a branch of a remote, for a pull request.

The pushed commit is the transaction's change on top of the remote's target branch, checked by every gate
except people under the rules of that tip. The branch, ``scalpel/<id>-<slug>``, belongs to gitscalpel. It
is moved only from where this repository left it. Commits that others have pushed to it since are kept.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

import msgspec

from gitscalpel.changesets.answers import message_subject, short_branch_name
from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import BadCall, ScalpelError, WorldMoved
from gitscalpel.errors.messages import arg
from gitscalpel.git import oplog, remotes
from gitscalpel.git.oplog import Record
from gitscalpel.landing.rebase import merge_changes, rebase_onto
from gitscalpel.transaction import recovery, result, static_gates, worktree
from gitscalpel.transaction.change import Change, Pushing, diff_trees, name_in_errors, require_files
from gitscalpel.transaction.check import gate_runner
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.retries import Retries
from gitscalpel.workspace import Workspace


def _join_remote(ws: Workspace, change: Change, there: RemoteState) -> tuple[Change, Oid]:
    """The change, and the commit that the branch is to name: with what others have pushed there since.

    Raises:
        WorldMoved: ``target_moved`` or ``merge_conflict``.
    """
    if there.tip is None or _is_equivalent(ws, change.head, there.tip):
        return change, there.tip or change.head
    _require_not_rewritten(ws, there)
    if there.change is not None and _is_equivalent(ws, change.head, there.change):
        return change, there.tip
    if there.tip == there.change:  # nobody else has added anything
        return change, change.head
    return _stack_on_remote(ws, change, there, there.tip)


def _require_not_rewritten(ws: Workspace, there: RemoteState) -> None:
    ref, ours = short_branch_name(there.ref), there.ours
    known = (
        ours is not None and ws.has_commit(ours) and there.change is not None and ws.has_commit(there.change)
    )
    if not (known and is_ancestor(ws, str(ours), str(there.tip))):
        fetch = f"git fetch {shlex.quote(there.remote)} {shlex.quote(there.ref)}"
        raise WorldMoved(
            "target_moved",
            f"{ref} is on {there.remote} already, and does not stand on what this repository has left there",
            f"look at it (`{fetch}`); {arg('branch', 'NAME')} pushes to another one",
            ref=there.ref,
        )


def _stack_on_remote(ws: Workspace, change: Change, there: RemoteState, tip: Oid) -> tuple[Change, Oid]:
    """Put what has changed since the last push on top of what others have added, with the target."""
    merged = merge_changes(
        ws, ws.store.commit(str(there.change)).tree, change.tree(ws), ws.store.commit(tip).tree
    )
    if merged.tree is None:
        where = f"{short_branch_name(there.ref)} on {there.remote}"
        words = f"others have pushed to {where}, and changed the same places: {merged.words}"
        hint = f"look at theirs: `git fetch {shlex.quote(there.remote)} {shlex.quote(there.ref)}`"
        raise WorldMoved("merge_conflict", words, hint, **merged.data)
    meta = change.meta.but(checked=False)
    files = diff_trees(ws, ws.store.tree_of(change.meta.base), merged.tree)
    whole = gate_runner.run_all(ws, change.revise(ws, merged.tree, meta, files, is_rebased=True))
    parents = [tip] if is_ancestor(ws, there.target, tip) else [tip, there.target]
    made = ws.store.commit(change.head)
    return whole, ws.store.write_commit(whole.tree(ws), parents, made.message, author=made.author)


def _is_equivalent(ws: Workspace, one: Oid, other: Oid) -> bool:
    """Return True if two commits say the same, whenever they were made."""
    a, b = ws.store.commit(one), ws.store.commit(other)
    return (a.tree, [*a.parents], a.message) == (b.tree, [*b.parents], b.message)


class Pushed(msgspec.Struct, frozen=True):
    """Published branch of a transaction.

    Attributes:
        result: the change as it was pushed.
        remote: the name of the other repository.
        branch: the branch there, as people write it.
        before: where it was; None: it is new.
        commit: where it is.
        added: commits by others on it, which this push has kept.
        url: where the other repository is, without credentials.
        by: who has pushed it, and with what.
    """

    result: Result
    remote: str
    branch: str
    before: Oid | None
    commit: Oid
    added: bool
    url: str
    by: str

    @property
    def moved(self) -> bool:
        """Return True if anything had to be pushed."""
        return self.before != self.commit


def push(ws: Workspace, staged: Change, remote: str | None = None, branch: str | None = None) -> Pushed:
    """Publish a transaction; it stays open, and nothing moves here.

    Args:
        ws: the workspace.
        staged: the transaction.
        remote: where to; None: where its branch is pushed to.
        branch: the name there; None: the one that it has there, or one of its id and its message.

    Raises:
        DoesNotFit: ``no_change``.
        GateRefused: a gate said no.
        WorldMoved: ``merge_conflict``: the target branch there, or what others have pushed to the branch,
            contradicts it; ``target_moved``: the branch is not as this repository has left it.
        NotAllowed: ``push_denied``: the other side says no.
        InputOutput: ``io_error``: it cannot be reached.
    """
    name = remotes.choose_remote(ws.repo, staged.meta.branch, remote)
    with name_in_errors(staged):
        retries = Retries("push")
        while True:
            try:
                return _push_once(ws, staged.refresh(ws), name, branch)
            except WorldMoved as error:
                if not retries.pause(error):
                    raise


def _push_once(ws: Workspace, staged: Change, remote: str, branch: str | None) -> Pushed:
    require_files(staged)
    worktree.require_staged(ws, staged)
    static_gates.require_allowed_changes(ws, staged.files)
    there = read_remote(ws, staged, remote, branch)
    target = staged.meta.branch
    with ws.assume_tip(target, there.target):
        change = _rebase_onto_remote(ws, staged, there)
        require_files(change)
        change = gate_runner.run_all(ws, change)
        whole, commit = _join_remote(ws, change, there)
    is_there = there.tip is not None and _is_equivalent(ws, change.head, there.tip)
    if commit != there.tip:
        _note_push(ws, staged, there, commit, change.head)
        with ws.store.lasting():
            remotes.push(ws.repo, remote, commit, there.ref, there.tip)
    was_killed = commit != there.noted and (is_there or commit == there.ours)
    if commit != there.tip or was_killed:
        _record_push(ws, whole, there, commit, change.head)
    added = there.tip is not None and not is_there and there.tip != there.change
    by = ws.user() + (f" with {ws.session.agent}" if ws.session.agent else "")
    url = remotes.push_url(ws.repo, remote)
    return Pushed(
        result.result_of(whole), remote, short_branch_name(there.ref), there.tip, commit, added, url, by
    )


def _rebase_onto_remote(ws: Workspace, staged: Change, there: RemoteState) -> Change:
    """The transaction on the target branch as it is there, in memory: the open one stays as it is."""
    change = Change(staged.id, staged.head, staged.meta, staged.files)
    if staged.meta.base == there.target:
        return change
    try:
        return rebase_onto(ws, change, ws.at(staged.meta.branch))
    except WorldMoved as error:
        base = staged.meta.base
        if error.code != "merge_conflict" or base is None or not is_ancestor(ws, there.target, base):
            raise
        target = short_branch_name(staged.meta.branch)
        raise WorldMoved(
            error.code,
            f"{target} on {there.remote} lacks commits that it stands on, and that changed the same places",
            f"push them first: `git push {shlex.quote(there.remote)} {shlex.quote(staged.meta.branch)}`",
            **error.data,
        ) from error


def _note_push(ws: Workspace, staged: Change, there: RemoteState, commit: Oid, own: Oid) -> None:
    """Note what is about to be pushed, so that the next push knows it as ours if this one is killed."""
    begun = Pushing(there.remote, there.ref, commit, own)
    staged.with_meta(ws, staged.meta.but(pushing=begun))


def _record_push(ws: Workspace, change: Change, there: RemoteState, commit: Oid, own: Oid) -> None:
    record = Record(
        kind="push",
        tx=change.id,
        **ws.hand(),
        branch=change.meta.branch,
        before=there.tip,
        after=commit,
        message=change.meta.message,
        paths=tuple(file.path for file in change.files),
        note={"remote": there.remote, "ref": there.ref, "change": own},
    )
    try:
        with recovery.hold_lock(ws):
            oplog.append_record(ws.repo, ws.store, record)
    except ScalpelError as error:
        raise error.but(more="; it has been pushed, and the log does not say so") from error


_SLUG = 40
_STEPS = 10_000
"""Steps of the log in which an earlier push is looked for."""
_HEADS = "refs/heads/"


class RemoteState(msgspec.Struct, frozen=True):
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


def read_remote(ws: Workspace, staged: Change, remote: str, branch: str | None) -> RemoteState:
    """Return the state of the remote; commits that are missing here are fetched, and no ref moves.

    Raises:
        BadCall: ``invalid_args``: the target is not there, or is what ``branch`` names; ``invalid_name``.
        NotAllowed, InputOutput: see :func:`gitscalpel.git.remotes.list_remote_refs`.
    """
    target = staged.meta.branch
    pattern = remotes.branch_ref(ws.repo, branch) if branch else f"{_HEADS}scalpel/{staged.id}-*"
    if pattern == target:
        words = f"{short_branch_name(target)} is the branch that it is for"
        raise BadCall("invalid_args", words, f"name another one with {arg('branch')}, or leave that out")
    heads = remotes.list_remote_refs(ws.repo, remote, [target, pattern])
    if target not in heads:
        hint = f"push it first: `git push {shlex.quote(remote)} {shlex.quote(target)}`"
        raise BadCall("invalid_args", f"{remote} has no branch {short_branch_name(target)}", hint)
    ref = _find_own_ref(ws, staged, remote, heads.keys() - {target}, pattern)
    for wanted in filter(None, (target, ref)):
        if not ws.has_commit(heads[wanted]):
            remotes.fetch(ws.repo, remote, wanted)
    name = _branch_name(staged, pattern)
    there = RemoteState(remote, heads[target], ref or name, heads.get(ref))
    last = _last_push(ws, staged, there)
    if last is not None:
        left = {"ours": last.after, "change": last.note.get("change", last.after), "noted": last.after}
        there = msgspec.structs.replace(there, **left)
    begun = staged.meta.pushing
    if begun is not None and _has_arrived(ws, begun, there):
        return msgspec.structs.replace(there, ours=begun.commit, change=begun.change)
    return there


def _find_own_ref(ws: Workspace, staged: Change, remote: str, found: AbstractSet[str], pattern: str) -> str:
    """Return the branch there that is the transaction's, or "": whoever may push there may copy its id.

    The one that this repository has pushed comes first, then the one that it would push.
    """
    begun = staged.meta.pushing
    pushed = (record.note.get("ref") for record in _pushes(ws, staged) if record.note.get("remote") == remote)
    known = (begun.ref if begun is not None and begun.remote == remote else None, *pushed)
    wanted = (*filter(None, known), _branch_name(staged, pattern), *sorted(found))
    return next((str(ref) for ref in wanted if ref in found), "")


def _branch_name(staged: Change, pattern: str) -> str:
    return pattern.replace("*", _slug(staged.meta.message))


def _has_arrived(ws: Workspace, begun: Pushing, there: RemoteState) -> bool:
    """Return True if a push is seen there, which may have been killed before the log said so."""
    if there.tip is None or (begun.remote, begun.ref) != (there.remote, there.ref):
        return False
    return is_ancestor(ws, begun.commit, there.tip)


def is_ancestor(ws: Workspace, commit: str, tip: str) -> bool:
    """Return True if a commit is among those that lead to another."""
    return not ws.repo.git.run("merge-base", "--is-ancestor", commit, tip).status


def _last_push(ws: Workspace, staged: Change, there: RemoteState) -> Record | None:
    """The step in which this repository has last pushed it to that branch."""
    where = {"remote": there.remote, "ref": there.ref}
    return next((record for record in _pushes(ws, staged) if where.items() <= record.note.items()), None)


def _pushes(ws: Workspace, staged: Change) -> Iterator[Record]:
    """Yield the steps in which this repository has pushed the transaction, newest first."""
    steps = (entry.record for entry in oplog.read_log_since(ws.store, staged.meta.log, limit=_STEPS))
    return (step for step in steps if (step.kind, step.tx) == ("push", staged.id))


def _slug(message: str) -> str:
    """Return a part of a branch's name that describes its change."""
    words = re.sub(r"[^a-z0-9]+", "-", message_subject(message).lower()).strip("-")
    return words[:_SLUG].rpartition("-")[0] or words if len(words) > _SLUG else words or "change"
