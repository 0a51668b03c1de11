"""A worktree in which programs judge: at exactly one tree, and never handed to anybody.

What a person or a command has left in a transaction's own worktree, and git ignores, does not land. So
programs that judge must not see it; nor what those have left that judged before, but for named caches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.changesets.globs import Globs
from gitscalpel.git.pool import leftovers
from gitscalpel.git.pool.lease import lease
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.workspace import Workspace


@contextmanager
def apart(
    ws: Workspace,
    tx: str,
    commit: Oid,
    tree: Oid,
    furnish: Callable[[Worktree], None],
    *,
    caches: Sequence[str],
) -> Iterator[Worktree]:
    """A worktree at ``tree`` on top of ``commit``; what is done to it is undone by whoever comes next.

    Args:
        ws: where.
        tx: the transaction that is judged.
        commit: what its HEAD is.
        tree: what is judged.
        furnish: makes it ready for programs.
        caches: globs of what programs may find there as others have left it.

    Raises:
        ScalpelError: what ``furnish`` raises.
    """
    with lease(ws.repo, ws.store, tx, commit, ws.notify, judges=True) as place:
        spared = Globs(caches).match
        leftovers.remove_new_leftovers(place, spared)
        place.bring(commit, tree)
        leftovers.clear_submodules(place)
        leftovers.remove_leftovers(place, spared)
        before = place.state.setup if place.state else ""
        furnish(place)
        if place.state and place.state.setup != before:
            leftovers.note_setup(place, spared)
        place.hand_over()
        try:
            yield place
        finally:
            place.take_back(commit)
