"""Lease a transaction's worktree from the pool, keep it in sync, and set it up for programs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from gitscalpel.changesets.answers import short_branch_name
from gitscalpel.changesets.file_tree import SUBMODULE, Oid
from gitscalpel.changesets.rules import Rules
from gitscalpel.errors import GateRefused, ScalpelError, WorldMoved
from gitscalpel.errors.messages import call
from gitscalpel.git import commits
from gitscalpel.git.object_store import Store
from gitscalpel.git.pool import slots, untracked_files
from gitscalpel.git.pool.lease import lease
from gitscalpel.git.pool.slots import SlotState
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.system import processes, trust
from gitscalpel.transaction.change import Change
from gitscalpel.transaction.result import Result
from gitscalpel.workspace.workspace import Workspace


@contextmanager
def lease_worktree(ws: Workspace, staged: Change) -> Iterator[Worktree]:
    """Lease the transaction's worktree, with its change staged, and edits made by hand on top.

    Raises:
        TryAgain: ``busy``: another process works there.
        WorldMoved: ``dirty_overlap``: the transaction has changed in places that were edited by hand.
    """
    tree = ws.store.commit(staged.head).tree
    with lease(ws.repo, ws.store, staged.id, base_commit(ws, staged), ws.notify) as place:
        if place.state is None or place.state.tree is None:
            place.bring(base_commit(ws, staged), tree)
        elif place.state.tree != tree:
            _require_mergeable(staged, place, tree)
            place.follow(base_commit(ws, staged), tree)
        yield place


@contextmanager
def follow_tree(ws: Workspace, staged: Change, place: Worktree, tree: Oid) -> Iterator[None]:
    """Move a leased worktree to another tree of its transaction after the block, or raise before it.

    Raises:
        WorldMoved: ``dirty_overlap``: the same lines were edited by hand.
    """
    _require_mergeable(staged, place, tree)
    yield
    try:
        place.follow(base_commit(ws, staged), tree)
    except (ScalpelError, OSError) as error:  # the transaction has it; who next needs the worktree mends this
        ws.notify(f"{place.root} was left behind: {error}")


def update_worktree(ws: Workspace, staged: Change) -> None:
    """Move the transaction's worktree, if any, to its current tree. Report what prevents this."""
    root = worktree_of(ws, staged.id)
    if root is None:
        return
    try:
        with lease_worktree(ws, staged):
            pass
    except (ScalpelError, OSError) as error:  # the transaction has it; who next needs the worktree mends this
        ws.notify(f"{root} was left behind: {error}")


def _require_mergeable(staged: Change, place: Worktree, tree: Oid) -> None:
    try:
        place.require_followable(tree)
    except WorldMoved as error:
        files = error.data.get("files")
        raise _overlap_error(staged, place.root, "edits that conflict with it", files=files) from None


def worktree_of(ws: Workspace, tx: str) -> Path | None:
    return list_worktrees(ws).get(tx)


def list_worktrees(ws: Workspace) -> dict[str | None, Path]:
    return {slot.leased_by: slot.root for slot in slots.find_slots(ws.repo) if slot.leased_by}


def is_edited(ws: Workspace, staged: Change) -> bool:
    """Return True if the transaction's worktree contains edits that are not staged.

    Raises:
        TryAgain: ``busy``: another process works there.
    """
    if worktree_of(ws, staged.id) is None:
        return False
    with lease_worktree(ws, staged) as place:
        return place.is_edited()


def require_staged(ws: Workspace, staged: Change) -> None:
    """Raise if the transaction's worktree contains edits that are not staged.

    Raises:
        WorldMoved: ``dirty_overlap``.
        TryAgain: ``busy``.
    """
    if is_edited(ws, staged):
        raise _overlap_error(staged, worktree_of(ws, staged.id), "edits that are not staged")


def base_commit(ws: Workspace, change: Change) -> Oid:
    """Return the base commit of the worktree; for an unborn branch an empty commit."""
    if change.meta.base is not None:
        return change.meta.base
    return ws.store.write_raw_commit(
        commits.serialize_commit(ws.store.write_tree(None, []), [], "nothing yet")
    )


def _overlap_error(staged: Change, root: Path | None, content: str, **data: object) -> WorldMoved:
    return WorldMoved(
        "dirty_overlap",
        f"the transaction's worktree {root} contains {content}",
        f"stage them: {call('stage', tx=staged.id)}; or revert them there",
        tx=staged.id,
        worktree=str(root),
        **data,
    )


def furnish(ws: Workspace, place: Worktree, branch: str, rules: Rules) -> None:
    """Link shared directories, and run the setup once in each worktree, according to the rules of a branch.

    Raises:
        NotAllowed: ``untrusted``.
        GateRefused: ``gate_failed``: the setup failed.
        Misconfigured: ``config_error``: a shared directory leads back into the checkout.
    """
    _link_shared(ws, place, rules)
    setup = rules.gates.setup
    if setup and not place.is_set_up(setup):
        require_trusted(ws, branch, rules)
        ws.progress(f"running the setup in {place.root}: {setup}")
        set_up(place, setup, trusted_tree(ws.store, ws.at(branch).snapshot.tree, place.state))
        _link_shared(
            ws, place, rules
        )  # bringing it back to its tree has taken away links that git does not ignore


def _link_shared(ws: Workspace, place: Worktree, rules: Rules) -> None:
    if ws.repo.work_tree is not None and rules.gates.shared:
        place.share(untracked_files.link_directories(ws.repo.work_tree, place.root, rules.gates.shared))


def trusted_tree(store: Store, landed: Oid, state: SlotState | None) -> Oid:
    """Return the landed tree with the worktree's submodules, which are only checked out."""
    links = [
        (delta.path, delta.new)
        for delta in store.difference(landed or None, state.tree if state else None)
        if delta.path == ".gitmodules" or (delta.new and delta.new.mode == SUBMODULE)
    ]
    return store.write_tree(landed or None, links)


def set_up(place: Worktree, setup: str, tree: Oid) -> None:
    """Run the setup command. Its changes of files that were not edited are reverted.

    The setup has the user's rights, since it may need the network, caches and passwords. For gate programs it
    therefore runs on the trusted tree ``tree``, so that it calls no script of the transaction.

    Raises:
        GateRefused: ``gate_failed``: the setup failed.
    """
    before = None if place.is_edited() else place.state
    if before is not None:
        if before.judges and before.base is not None:
            place.bring(before.base, tree)
        place.unsettle()
    status = processes.run(["sh", "-c", setup], place.root, place.repo.git.outer(), place.held)
    if before is not None and before.tree is not None and before.base is not None:
        place.bring(before.base, before.tree)
    if status:
        raise GateRefused(
            "gate_failed",
            f"the setup ({setup}) {processes.describe_exit(status)} in {place.root}",
            "fix gates.setup, or what it depends on",
            status=status,
        )
    place.set_up(setup)


def require_trusted(ws: Workspace, branch: str, rules: Rules) -> None:
    """Raise ``untrusted`` unless all programs that the rules of a branch name are trusted."""
    untrusted = trust.find_untrusted(ws.repo.common_dir, rules.programs, ws.repo.environment)
    if untrusted:
        raise trust.untrusted_error(untrusted, None if branch == ws.repo.head else short_branch_name(branch))


def with_worktrees(ws: Workspace, *results: Result) -> tuple[Result, ...]:
    leased_folders = list_worktrees(ws)
    return tuple(
        msgspec.structs.replace(each, worktree=str(leased_folders[each.tx]))
        if each.tx in leased_folders
        else each
        for each in results
    )
