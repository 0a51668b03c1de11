"""Publish an open transaction as a branch of a remote, for a pull request.

The change is put on the remote's target branch and checked there by every gate except people. The branch,
``scalpel/<id>-<slug>``, is moved only from where this repository left it. Commits of others are kept.
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
from gitscalpel.workspace.workspace import Workspace


def _join_remote(ws: Workspace, change: Change, remote_state: RemoteState) -> tuple[Change, Oid]:
    """Return the change and the new commit of the branch, with the commits that others have pushed to it."""
    if remote_state.tip is None or _is_equivalent(ws, change.head, remote_state.tip):
        return change, remote_state.tip or change.head
    _require_not_rewritten(ws, remote_state)
    if remote_state.change is not None and _is_equivalent(ws, change.head, remote_state.change):
        return change, remote_state.tip
    if remote_state.tip == remote_state.change:  # no other user has added commits
        return change, change.head
    return _stack_on_remote(ws, change, remote_state, remote_state.tip)


def _require_not_rewritten(ws: Workspace, remote_state: RemoteState) -> None:
    ref, ours = short_branch_name(remote_state.ref), remote_state.ours
    known = (
        ours is not None
        and ws.has_commit(ours)
        and remote_state.change is not None
        and ws.has_commit(remote_state.change)
    )
    if not (known and is_ancestor(ws, str(ours), str(remote_state.tip))):
        fetch = f"git fetch {shlex.quote(remote_state.remote)} {shlex.quote(remote_state.ref)}"
        raise WorldMoved(
            "target_moved",
            f"{ref} already exists on {remote_state.remote}, without the last push of this repository",
            f"look at it with `{fetch}`, or push to another branch with {arg('branch', 'NAME')}",
            ref=remote_state.ref,
        )


def _stack_on_remote(
    ws: Workspace, change: Change, remote_state: RemoteState, tip: Oid
) -> tuple[Change, Oid]:
    """Put the changes since the last push on top of the commits of others, with the target branch merged."""
    merged = merge_changes(
        ws, ws.store.commit(str(remote_state.change)).tree, change.tree(ws), ws.store.commit(tip).tree
    )
    if merged.tree is None:
        place = f"{short_branch_name(remote_state.ref)} on {remote_state.remote}"
        words = f"others have pushed to {place}, and changed the same places: {merged.words}"
        hint = f"fetch theirs: `git fetch {shlex.quote(remote_state.remote)} {shlex.quote(remote_state.ref)}`"
        raise WorldMoved("merge_conflict", words, hint, **merged.data)
    meta = change.meta.but(checked=False)
    files = diff_trees(ws, ws.store.tree_of(change.meta.base), merged.tree)
    whole = gate_runner.run_all(ws, change.revise(ws, merged.tree, meta, files, is_rebased=True))
    parents = [tip] if is_ancestor(ws, remote_state.target, tip) else [tip, remote_state.target]
    own_commit = ws.store.commit(change.head)
    return whole, ws.store.write_commit(whole.tree(ws), parents, own_commit.message, author=own_commit.author)


def _is_equivalent(ws: Workspace, first: Oid, second: Oid) -> bool:
    """Return True if two commits are equal except for their times."""
    a, b = ws.store.commit(first), ws.store.commit(second)
    return (a.tree, [*a.parents], a.message) == (b.tree, [*b.parents], b.message)


class Pushed(msgspec.Struct, frozen=True):
    """Published branch of a transaction."""

    result: Result  # the change as it was pushed
    remote: str
    branch: str  # short name of the branch on the remote
    before: Oid | None  # its old commit, or None if it is new
    commit: Oid  # its new commit
    added: bool  # True if it has commits of others, which this push has kept
    url: str  # URL of the remote, without credentials
    by: str  # user and program that pushed

    @property
    def moved(self) -> bool:
        return self.before != self.commit


def push(ws: Workspace, staged: Change, remote: str | None = None, branch: str | None = None) -> Pushed:
    """Publish a transaction. It stays open, and no local branch moves.

    Without a ``branch``, the existing one is used, or a new one named by the id and the message.

    Raises:
        DoesNotFit: ``no_change``.
        GateRefused: a gate failed.
        WorldMoved: ``merge_conflict``: the change conflicts with the remote's target branch, or with commits
            that others have pushed; ``target_moved``: the branch is not where this repository left it.
        NotAllowed: ``push_denied``: the remote rejects the push.
        InputOutput: ``io_error``: the remote cannot be reached.
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
    remote_state = read_remote(ws, staged, remote, branch)
    target = staged.meta.branch
    with ws.assume_tip(target, remote_state.target):
        change = _rebase_onto_remote(ws, staged, remote_state)
        require_files(change)
        change = gate_runner.run_all(ws, change)
        whole, commit = _join_remote(ws, change, remote_state)
    is_there = remote_state.tip is not None and _is_equivalent(ws, change.head, remote_state.tip)
    if commit != remote_state.tip:
        _note_push(ws, staged, remote_state, commit, change.head)
        with ws.store.lasting():
            remotes.push(ws.repo, remote, commit, remote_state.ref, remote_state.tip)
    was_killed = commit != remote_state.noted and (is_there or commit == remote_state.ours)
    if commit != remote_state.tip or was_killed:
        _record_push(ws, whole, remote_state, commit, change.head)
    added = remote_state.tip is not None and not is_there and remote_state.tip != remote_state.change
    by = ws.user() + (f" with {ws.session.agent}" if ws.session.agent else "")
    url = remotes.push_url(ws.repo, remote)
    return Pushed(
        result.result_of(whole),
        remote,
        short_branch_name(remote_state.ref),
        remote_state.tip,
        commit,
        added,
        url,
        by,
    )


def _rebase_onto_remote(ws: Workspace, staged: Change, remote_state: RemoteState) -> Change:
    """Return the transaction on the remote's target branch, in memory. The open one does not change."""
    change = Change(staged.id, staged.head, staged.meta, staged.files)
    if staged.meta.base == remote_state.target:
        return change
    try:
        return rebase_onto(ws, change, ws.at(staged.meta.branch))
    except WorldMoved as error:
        base = staged.meta.base
        if error.code != "merge_conflict" or base is None or not is_ancestor(ws, remote_state.target, base):
            raise
        target = short_branch_name(staged.meta.branch)
        raise WorldMoved(
            error.code,
            f"{target} on {remote_state.remote} lacks commits that the transaction is based on "
            "and that changed the same places",
            f"push them first: `git push {shlex.quote(remote_state.remote)} "
            f"{shlex.quote(staged.meta.branch)}`",
            **error.data,
        ) from error


def _note_push(
    ws: Workspace, staged: Change, remote_state: RemoteState, commit: Oid, own_commit: Oid
) -> None:
    """Note a push before it begins, so that the next one recognizes its commit even if this one is killed."""
    begun = Pushing(remote_state.remote, remote_state.ref, commit, own_commit)
    staged.with_meta(ws, staged.meta.but(pushing=begun))


def _record_push(
    ws: Workspace, change: Change, remote_state: RemoteState, commit: Oid, own_commit: Oid
) -> None:
    record = Record(
        kind="push",
        tx=change.id,
        **ws.author_fields(),
        branch=change.meta.branch,
        before=remote_state.tip,
        after=commit,
        message=change.meta.message,
        paths=tuple(file.path for file in change.files),
        note={"remote": remote_state.remote, "ref": remote_state.ref, "change": own_commit},
    )
    try:
        with recovery.hold_lock(ws):
            oplog.append_record(ws.repo, ws.store, record)
    except ScalpelError as error:
        raise error.but(more="; it was pushed, but the log has no record of it") from error


_SLUG = 40
_STEPS = 10_000
"""Maximum number of log entries to search for an earlier push."""
_HEADS = "refs/heads/"


class RemoteState(msgspec.Struct, frozen=True):
    """State of the remote when it was last read."""

    remote: str
    target: Oid  # commit of the target branch
    ref: str  # ref of the transaction's branch
    tip: Oid | None  # commit of that branch, or None if it does not exist
    ours: Oid | None = None  # commit that this repository last pushed to it, or None if it never has
    # commit of the transaction in ``ours``; equal to it unless others had added commits
    change: Oid | None = None
    noted: str | None = None  # last push according to the log, in case a killed push could not note it


def read_remote(ws: Workspace, staged: Change, remote: str, branch: str | None) -> RemoteState:
    """Return the state of the remote. Missing commits are fetched, and no local ref moves.

    Raises:
        BadCall: ``invalid_args``: the target branch does not exist there, or ``branch`` names it;
            ``invalid_name``.
        NotAllowed, InputOutput: see :func:`gitscalpel.git.remotes.list_remote_refs`.
    """
    target = staged.meta.branch
    pattern = remotes.branch_ref(ws.repo, branch) if branch else f"{_HEADS}scalpel/{staged.id}-*"
    if pattern == target:
        words = (
            f"{short_branch_name(target)} is the transaction's target branch, so it cannot be pushed there"
        )
        raise BadCall("invalid_args", words, f"name another branch with {arg('branch')}, or leave it out")
    heads = remotes.list_remote_refs(ws.repo, remote, [target, pattern])
    if target not in heads:
        hint = f"push it first: `git push {shlex.quote(remote)} {shlex.quote(target)}`"
        raise BadCall("invalid_args", f"{remote} has no branch {short_branch_name(target)}", hint)
    ref = _find_own_ref(ws, staged, remote, heads.keys() - {target}, pattern)
    for wanted in filter(None, (target, ref)):
        if not ws.has_commit(heads[wanted]):
            remotes.fetch(ws.repo, remote, wanted)
    name = _branch_name(staged, pattern)
    remote_state = RemoteState(remote, heads[target], ref or name, heads.get(ref))
    last = _last_push(ws, staged, remote_state)
    if last is not None:
        fields = {"ours": last.after, "change": last.note.get("change", last.after), "noted": last.after}
        remote_state = msgspec.structs.replace(remote_state, **fields)
    begun = staged.meta.pushing
    if begun is not None and _has_arrived(ws, begun, remote_state):
        return msgspec.structs.replace(remote_state, ours=begun.commit, change=begun.change)
    return remote_state


def _find_own_ref(
    ws: Workspace, staged: Change, remote: str, existing: AbstractSet[str], pattern: str
) -> str:
    """Return the transaction's branch on the remote, or "". Other users may push branches with the same id.

    A branch that this repository has pushed comes first, then the one that it would push.
    """
    begun = staged.meta.pushing
    pushed = (
        record.note.get("ref") for record in _iter_pushes(ws, staged) if record.note.get("remote") == remote
    )
    noted_refs = (begun.ref if begun is not None and begun.remote == remote else None, *pushed)
    wanted = (*filter(None, noted_refs), _branch_name(staged, pattern), *sorted(existing))
    return next((str(ref) for ref in wanted if ref in existing), "")


def _branch_name(staged: Change, pattern: str) -> str:
    return pattern.replace("*", _make_slug(staged.meta.message))


def _has_arrived(ws: Workspace, begun: Pushing, remote_state: RemoteState) -> bool:
    if remote_state.tip is None or (begun.remote, begun.ref) != (remote_state.remote, remote_state.ref):
        return False
    return is_ancestor(ws, begun.commit, remote_state.tip)


def is_ancestor(ws: Workspace, commit: str, tip: str) -> bool:
    return not ws.repo.git.run("merge-base", "--is-ancestor", commit, tip).status


def _last_push(ws: Workspace, staged: Change, remote_state: RemoteState) -> Record | None:
    place = {"remote": remote_state.remote, "ref": remote_state.ref}
    return next((record for record in _iter_pushes(ws, staged) if place.items() <= record.note.items()), None)


def _iter_pushes(ws: Workspace, staged: Change) -> Iterator[Record]:
    """Yield the log records of this repository's pushes of the transaction, newest first."""
    steps = (entry.record for entry in oplog.read_log_since(ws.store, staged.meta.log, limit=_STEPS))
    return (step for step in steps if (step.kind, step.tx) == ("push", staged.id))


def _make_slug(message: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", message_subject(message).lower()).strip("-")
    return words[:_SLUG].rpartition("-")[0] or words if len(words) > _SLUG else words or "change"
