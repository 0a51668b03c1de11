"""What is left of a branch without what one landing did, also under later work in the same files."""

from __future__ import annotations

from typing import NamedTuple

from gitscalpel.changesets.file_tree import Oid, is_in_the_way
from gitscalpel.errors import DoesNotFit, WorldMoved
from gitscalpel.errors.messages import call
from gitscalpel.transaction.shadow import between
from gitscalpel.workspace import Workspace


class Taken(NamedTuple):
    """A landing that is taken back: the commits before and after it."""

    before: Oid | None
    after: Oid | None


def without(ws: Workspace, branch: str, at: Oid | None, taken: Taken) -> Oid:
    """The tree of the branch's tip ``at`` without ``taken``.

    Files that were changed again since are merged three ways, and the gates judge what the branch has
    never held; but where nobody can be judged by its rules, files that go back whole go back.

    Raises:
        DoesNotFit: ``nothing_to_undo``: the branch holds nothing of it.
        WorldMoved: ``merge_conflict``.
        GateRefused: a gate said no.
    """
    from gitscalpel.gates import configuration
    from gitscalpel.transaction.check.reading import require

    tip = ws.snapshot(at)
    made = between(ws, *taken)
    overlap = sorted(change.path for change in made if is_in_the_way(tip, change.path, change.new))
    back = bool(made) and all(tip.entry(change.path) == change.old for change in made)
    if back and not _holds(ws, at, taken.after):
        raise DoesNotFit(
            "nothing_to_undo",
            "the branch holds nothing of it: its files are as they were before",
            f"{call('log')} lists the landings; name another one to take that back",
            paths=overlap,
        )
    if overlap:
        tree = _merged(ws, tip.tree, taken)
    else:
        tree = ws.store.write_tree(tip.tree, [(change.path, change.old) for change in made])
    was = ws.store.tree_of(taken.before)
    if overlap or (tree != was and configuration.fault(tip) is None):
        require(ws, branch, tip.tree, tree)
    return tree


def _merged(ws: Workspace, tip: Oid, taken: Taken) -> Oid:
    from gitscalpel.transaction.rebase.merging import merge

    before, after = (ws.snapshot(commit).tree for commit in taken)
    merged = merge(ws, after, tip, before)
    if merged.tree is None or merged.tree == tip:
        raise WorldMoved(
            "merge_conflict",
            f"what stands on it has changed the same places since: {merged.words or 'nothing of it is left'}",
            "take back what was done since first, or edit the files",
            **merged.data,
        )
    return merged.tree


def _holds(ws: Workspace, tip: Oid | None, commit: Oid | None) -> bool:
    """Whether ``commit`` is in the history of ``tip``; git itself may have moved the branch since."""
    if tip is None or commit is None:
        return tip == commit
    return not ws.repo.git("rev-list", "--max-count=1", commit, f"^{tip}").strip()
