"""A transaction's worktree: leased from the pool and kept in step; edits made there by hand are protected."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import ScalpelError, WorldMoved
from gitscalpel.errors.messages import call
from gitscalpel.git import commits
from gitscalpel.git.pool import slots
from gitscalpel.transaction.candidate import Candidate
from gitscalpel.transaction.shadow import OpenTransaction
from gitscalpel.workspace import Workspace

if TYPE_CHECKING:
    from gitscalpel.git.pool.worktree import Worktree


@contextmanager
def leased(ws: Workspace, staged: OpenTransaction) -> Iterator[Worktree]:
    """The transaction's worktree, with its change staged, and edits made by hand on top of that.

    Raises:
        TryAgain: ``busy``: another process works there.
        WorldMoved: ``dirty_overlap``: the transaction has changed since, where it was edited by hand.
    """
    from gitscalpel.git.pool.lease import lease

    tree = ws.store.commit(staged.head).tree
    with lease(ws.repo, ws.store, staged.id, base(ws, staged), ws.notify) as place:
        if place.state is None or place.state.tree is None:
            place.bring(base(ws, staged), tree)
        elif place.state.tree != tree:
            _refuse_to_follow(staged, place, tree)
            place.follow(base(ws, staged), tree)
        yield place


@contextmanager
def following(ws: Workspace, staged: OpenTransaction, place: Worktree, tree: Oid) -> Iterator[None]:
    """Bring a leased worktree to another tree of its transaction after the block, or refuse before it.

    Raises:
        WorldMoved: ``dirty_overlap``: it was edited by hand in the same lines.
    """
    _refuse_to_follow(staged, place, tree)
    yield
    try:
        place.follow(base(ws, staged), tree)
    except (ScalpelError, OSError) as error:  # the transaction has it; who next needs the worktree mends this
        ws.notify(f"{place.root} was left behind: {error}")


def bring_along(ws: Workspace, staged: OpenTransaction) -> None:
    """Let the transaction's worktree, if it has one, show what it is now; what is against that is told."""
    root = folder(ws, staged.id)
    if root is None:
        return
    try:
        with leased(ws, staged):
            pass
    except (ScalpelError, OSError) as error:  # the transaction has it; who next needs the worktree mends this
        ws.notify(f"{root} was left behind: {error}")


def _refuse_to_follow(staged: OpenTransaction, place: Worktree, tree: Oid) -> None:
    try:
        place.refuse_to_follow(tree)
    except WorldMoved as error:
        files = error.data.get("files")
        raise _overlap(staged, place.root, "edits that conflict with it", files=files) from None


def folder(ws: Workspace, tx: str) -> Path | None:
    """The worktree that a transaction has leased."""
    return folders(ws).get(tx)


def folders(ws: Workspace) -> dict[str | None, Path]:
    """The worktrees that are leased, by transaction."""
    return {slot.leased_by: slot.root for slot in slots.find_slots(ws.repo) if slot.leased_by}


def is_edited(ws: Workspace, staged: OpenTransaction) -> bool:
    """Whether the transaction's worktree holds edits that the transaction does not have.

    Raises:
        TryAgain: ``busy``: another process works there.
    """
    if folder(ws, staged.id) is None:
        return False
    with leased(ws, staged) as place:
        return place.is_edited()


def refuse_unstaged(ws: Workspace, staged: OpenTransaction) -> None:
    """Refuse to go on while there are such edits.

    Raises:
        WorldMoved: ``dirty_overlap``.
        TryAgain: ``busy``.
    """
    if is_edited(ws, staged):
        raise _overlap(staged, folder(ws, staged.id), "edits that are not staged")


def base(ws: Workspace, change: Candidate) -> Oid:
    """The commit that the worktree stands on; for an unborn branch one that holds nothing."""
    if change.meta.base is not None:
        return change.meta.base
    return ws.store.write_raw_commit(commits.serialize(ws.store.write_tree(None, []), [], "nothing yet"))


def _overlap(staged: OpenTransaction, root: Path | None, what: str, **data: object) -> WorldMoved:
    return WorldMoved(
        "dirty_overlap",
        f"the transaction's worktree {root} holds {what}",
        f"take them in: {call('stage', tx=staged.id)}; or undo them there",
        tx=staged.id,
        worktree=str(root),
        **data,
    )
