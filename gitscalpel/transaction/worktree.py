"""Lease a transaction's worktree from the pool, keep it in sync, and set it up for programs.

Edits made by hand in the worktree are protected. Shared directories are linked, and the team's setup
runs once in each worktree.
"""

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
from gitscalpel.workspace import Workspace


@contextmanager
def lease_worktree(ws: Workspace, staged: Change) -> Iterator[Worktree]:
    """The transaction's worktree, with its change staged, and edits made by hand on top of that.

    Raises:
        TryAgain: ``busy``: another process works there.
        WorldMoved: ``dirty_overlap``: the transaction has changed since, where it was edited by hand.
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
    """Bring a leased worktree to another tree of its transaction after the block, or refuse before it.

    Raises:
        WorldMoved: ``dirty_overlap``: it was edited by hand in the same lines.
    """
    _require_mergeable(staged, place, tree)
    yield
    try:
        place.follow(base_commit(ws, staged), tree)
    except (ScalpelError, OSError) as error:  # the transaction has it; who next needs the worktree mends this
        ws.notify(f"{place.root} was left behind: {error}")


def update_worktree(ws: Workspace, staged: Change) -> None:
    """Bring the transaction's worktree, if it has one, to its current tree; report what prevents it."""
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
    """The worktree that a transaction has leased."""
    return list_worktrees(ws).get(tx)


def list_worktrees(ws: Workspace) -> dict[str | None, Path]:
    """The worktrees that are leased, by transaction."""
    return {slot.leased_by: slot.root for slot in slots.find_slots(ws.repo) if slot.leased_by}


def is_edited(ws: Workspace, staged: Change) -> bool:
    """Return True if the transaction's worktree holds edits that the transaction does not have.

    Raises:
        TryAgain: ``busy``: another process works there.
    """
    if worktree_of(ws, staged.id) is None:
        return False
    with lease_worktree(ws, staged) as place:
        return place.is_edited()


def require_staged(ws: Workspace, staged: Change) -> None:
    """Refuse to go on while there are such edits.

    Raises:
        WorldMoved: ``dirty_overlap``.
        TryAgain: ``busy``.
    """
    if is_edited(ws, staged):
        raise _overlap_error(staged, worktree_of(ws, staged.id), "edits that are not staged")


def base_commit(ws: Workspace, change: Change) -> Oid:
    """The commit that the worktree stands on; for an unborn branch one that holds nothing."""
    if change.meta.base is not None:
        return change.meta.base
    return ws.store.write_raw_commit(
        commits.serialize_commit(ws.store.write_tree(None, []), [], "nothing yet")
    )


def _overlap_error(staged: Change, root: Path | None, what: str, **data: object) -> WorldMoved:
    return WorldMoved(
        "dirty_overlap",
        f"the transaction's worktree {root} holds {what}",
        f"take them in: {call('stage', tx=staged.id)}; or undo them there",
        tx=staged.id,
        worktree=str(root),
        **data,
    )


def furnish(ws: Workspace, place: Worktree, branch: str, rules: Rules) -> None:
    """Link what is shared, and run the setup if it has not run there, as the rules of a branch say.

    Raises:
        NotAllowed: ``untrusted``.
        GateRefused: ``gate_failed``: the setup failed.
        Misconfigured: ``config_error``: a shared folder leads back into the checkout.
    """
    _share(ws, place, rules)
    setup = rules.gates.setup
    if setup and not place.is_set_up(setup):
        require_trusted(ws, branch, rules)
        ws.notify(f"running the setup in {place.root}: {setup}")
        set_up(place, setup, trusted_tree(ws.store, ws.at(branch).snapshot.tree, place.state))
        _share(ws, place, rules)  # bringing it back to its tree has taken away links that git does not ignore


def _share(ws: Workspace, place: Worktree, rules: Rules) -> None:
    if ws.repo.work_tree is not None and rules.gates.shared:
        place.share(untracked_files.link_directories(ws.repo.work_tree, place.root, rules.gates.shared))


def trusted_tree(store: Store, landed: Oid, state: SlotState | None) -> Oid:
    """Return the landed tree with the submodules that a worktree has: these are only checked out."""
    links = [
        (delta.path, delta.new)
        for delta in store.difference(landed or None, state.tree if state else None)
        if delta.path == ".gitmodules" or (delta.new and delta.new.mode == SUBMODULE)
    ]
    return store.write_tree(landed or None, links)


def set_up(place: Worktree, setup: str, tree: Oid) -> None:
    """Run a setup; what it changes in files that nobody has edited is undone.

    It runs with the user's rights: it needs the network, caches, and perhaps passwords. So where programs
    are to judge, it runs on ``tree``, which is to be trusted: no script of the transaction is called by it.

    Raises:
        GateRefused: ``gate_failed``: it failed.
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
    """Refuse to start what the rules of a branch name, unless all of it is trusted.

    Raises:
        NotAllowed: ``untrusted``.
    """
    untrusted = trust.find_untrusted(ws.repo.common_dir, rules.programs, ws.repo.environment)
    if untrusted:
        raise trust.untrusted_error(untrusted, None if branch == ws.repo.head else short_branch_name(branch))


def with_worktrees(ws: Workspace, *results: Result) -> tuple[Result, ...]:
    """Return the results, each with the worktree that its transaction has leased."""
    leased_folders = list_worktrees(ws)
    return tuple(
        msgspec.structs.replace(each, worktree=str(leased_folders[each.tx]))
        if each.tx in leased_folders
        else each
        for each in results
    )
