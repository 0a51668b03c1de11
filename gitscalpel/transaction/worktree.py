"""A transaction's worktree: leased from the pool, kept in step, and what was done there by hand taken in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gitscalpel.errors import DoesNotFit, WorldMoved
from gitscalpel.git import refs, worktrees
from gitscalpel.git.worktrees import Worktree
from gitscalpel.snapshot import Oid
from gitscalpel.transaction.shadow import Staged
from gitscalpel.workspace import Workspace

_NOBODY = "git-scalpel <> 0 +0000"


@contextmanager
def leased(ws: Workspace, staged: Staged) -> Iterator[Worktree]:
    """The transaction's worktree, with its change staged, and edits made by hand on top of that.

    Raises:
        TryAgain: ``busy``: another process works there.
        WorldMoved: ``dirty_overlap``: the transaction has changed since, where it was edited by hand.
    """
    tree = ws.store.commit(staged.head).tree
    base = _base(ws, staged)
    open_now = refs.transactions(ws.repo)
    with worktrees.lease(
        ws.repo, ws.store, staged.id, base, is_open=open_now.__contains__, announce=ws.notify
    ) as worktree:
        state = worktree.slot.state
        if state.tx != staged.id or state.tree is None:
            kept = worktree.keep() if state.tx is not None else None
            if kept is not None:
                ws.notify(f"what was left in {worktree.slot.root} is kept as {kept}")
            worktree.bring(staged.id, base, tree)
        elif state.tree != tree:
            follow(ws, staged, worktree, tree)
        yield worktree


def follow(ws: Workspace, staged: Staged, worktree: Worktree, tree: Oid) -> None:
    """Bring a leased worktree to another tree of its transaction.

    Raises:
        WorldMoved: ``dirty_overlap``.
    """
    if not worktree.is_edited():
        settle(ws, staged, worktree, tree)
        return
    try:
        worktree.follow(_base(ws, staged), tree)
    except WorldMoved as error:
        raise WorldMoved(
            "dirty_overlap",
            error.message.replace("your checkout", f"the transaction's worktree {_where(worktree)}"),
            f"take in what was edited there first: git scalpel stage {staged.id}",
            **{**error.data, "tx": staged.id, "worktree": _where(worktree)},
        ) from None


def settle(ws: Workspace, staged: Staged, worktree: Worktree, tree: Oid) -> None:
    """Bring a leased worktree to a tree of its transaction, whatever it holds."""
    worktree.bring(staged.id, _base(ws, staged), tree)


def folder(ws: Workspace, tx: str) -> Path | None:
    """The worktree that a transaction has leased."""
    slot = worktrees.slot_of(ws.repo, tx)
    return slot.root if slot else None


def is_edited(ws: Workspace, staged: Staged) -> bool:
    """Whether the transaction's worktree holds edits that the transaction does not have.

    Raises:
        TryAgain: ``busy``: another process works there.
    """
    if worktrees.slot_of(ws.repo, staged.id) is None:
        return False
    with leased(ws, staged) as worktree:
        return worktree.is_edited()


def refuse_unstaged(ws: Workspace, staged: Staged) -> None:
    """Refuse to go on while there are such edits.

    Raises:
        WorldMoved: ``dirty_overlap``.
        TryAgain: ``busy``.
    """
    if is_edited(ws, staged):
        place = str(folder(ws, staged.id))
        raise WorldMoved(
            "dirty_overlap",
            f"the transaction's worktree {place} holds edits that are not staged",
            f"take them in: git scalpel stage {staged.id}; or undo them there",
            tx=staged.id,
            worktree=place,
        )


def edits(ws: Workspace, staged: Staged, worktree: Worktree) -> Oid | None:
    """The tree that somebody has made of it by hand; None: it is as it was brought there."""
    tree = worktree.contents()
    added = [
        delta.path
        for delta in ws.store.difference(worktree.slot.state.tree, tree)
        if delta.new is not None and delta.new.mode == "160000" and delta.old is None
    ]
    if added:
        raise DoesNotFit(
            "not_a_file",
            f"{', '.join(added)} in {_where(worktree)} is a repository of its own",
            "take it away, or add it as a submodule",
            tx=staged.id,
        )
    return None if tree == worktree.slot.state.tree else tree


def _base(ws: Workspace, staged: Staged) -> Oid:
    """The commit that the worktree stands on; for an unborn branch one that holds nothing."""
    if staged.meta.base is not None:
        return staged.meta.base
    tree = ws.store.write_tree(None, [])
    lines = [f"tree {tree}", f"author {_NOBODY}", f"committer {_NOBODY}", "", "nothing yet", ""]
    return ws.store.write_raw_commit("\n".join(lines).encode())


def _where(worktree: Worktree) -> str:
    return str(worktree.slot.root)
