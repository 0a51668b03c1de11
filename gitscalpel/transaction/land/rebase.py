"""Rebase an open transaction onto the tip that its branch has moved to.

If the tip left its files alone, the change stays the same. Where both changed a file, the two versions
are merged in memory, and the result has to pass the gates again.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from gitscalpel.changesets import answers, config
from gitscalpel.changesets.file_tree import Changes, Oid, is_in_the_way
from gitscalpel.changesets.rules import LEVELS
from gitscalpel.errors import WorldMoved
from gitscalpel.errors.messages import call
from gitscalpel.transaction.candidate import C, Candidate, Meta
from gitscalpel.transaction.open_transaction import changed
from gitscalpel.workspace import TreeTarget, Workspace


class Rebased(msgspec.Struct, frozen=True):
    """A transaction's change on another commit: the tree, what else is to be known, what changes."""

    tree: Oid
    meta: Meta
    files: Changes

    def of(self, ws: Workspace, change: C) -> C:
        """The change, become this."""
        return change.revised(ws, self.tree, self.meta, self.files)


def onto_tip(ws: Workspace, change: C, merging: bool = True) -> C:
    """The transaction with the branch as it is now as its base.

    Args:
        ws: where.
        change: the transaction.
        merging: whether files that both changed are merged.

    Raises:
        WorldMoved: see :func:`onto`.
    """
    if ws.tip(change.meta.branch) == change.meta.base:
        return change
    return onto(ws, change, ws.at(change.meta.branch), merging).of(ws, change)


def onto(ws: Workspace, change: Candidate, target: TreeTarget, merging: bool = True) -> Rebased:
    """The transaction's change on a target that has gone on since; nothing is staged.

    Raises:
        WorldMoved: ``target_moved``, if the rules on structure are tighter now, or a file has changed
            and not ``merging``; ``merge_conflict``.
    """
    before = ws.snapshot(change.meta.base)
    ruled_anew = before.entry(config.PATH) != target.snapshot.entry(config.PATH)
    if ruled_anew and LEVELS.index(target.rules.gates.structure) > LEVELS.index(change.meta.structure):
        raise _moved(change, target, [config.PATH])  # its steps are no longer there to be judged
    overlap = [c.path for c in change.files if is_in_the_way(target.snapshot, c.path, c.old)]
    if overlap and not merging:
        raise _moved(change, target, overlap)
    ruled_anew = ruled_anew or bool(target.rules.policy.rules)  # other files of the target hold these
    checked = change.meta.checked and not overlap and not ruled_anew
    meta = msgspec.structs.replace(change.meta, base=target.tip, checked=checked)
    if meta.adopted is not None:
        meta = msgspec.structs.replace(meta, adopted=_adopted(ws, change, target, before.tree, bool(overlap)))
    own = ws.store.commit(change.head).tree
    if not overlap:
        tree = _same_change(ws, target, change.files)
        return Rebased(tree, _warned(meta, _dangling(ws, change, target, before.tree, tree)), change.files)
    tree, notes = _merged(ws, change, target, before.tree, own)
    meta = msgspec.structs.replace(
        _warned(meta, (*notes, *_dangling(ws, change, target, before.tree, tree))),
        merged=(*meta.merged, *_agreed_to(change)),
    )
    return Rebased(tree, meta, changed(ws, target.snapshot.tree, tree))


def _warned(meta: Meta, words: Iterable[str]) -> Meta:
    return msgspec.structs.replace(meta, warnings=tuple(dict.fromkeys((*meta.warnings, *words))))


def _dangling(
    ws: Workspace, change: Candidate, target: TreeTarget, base: Oid, merged: Oid
) -> tuple[str, ...]:
    """Return what the merge left dangling, in words: a use of what the other side renamed or removed."""
    from gitscalpel.transaction.land.dangling_references import find_dangling_uses, steps_that_removed

    try:
        ours = ws.store.commit(change.head).tree
        found, left = find_dangling_uses(ws, base, ours, target.snapshot.tree, merged)
    except RecursionError:
        return ("skipped: uses of names that the merge removes: the text nests too deeply",)
    steps = steps_that_removed(ws, change.meta.log, target.branch, found)
    return (*(each.words(target.name, steps.get(each, "")) for each in found), *left)


def _agreed_to(change: Candidate) -> tuple[str, ...]:
    """What a decision on the change may have been about, before it is merged."""
    if not change.meta.decided:
        return ()
    from gitscalpel.gates.policy import approval

    return (approval.digest(change.files),)


def _adopted(ws: Workspace, change: Candidate, target: TreeTarget, base: Oid, merging: bool) -> Oid | None:
    """The commit of what was taken from the user's disk, on the new tip; None: the tip has it already."""
    commit = ws.store.commit(str(change.meta.adopted))
    if merging:
        tree, _ = _merged(ws, change, target, base, commit.tree)
    else:
        tree = _same_change(ws, target, changed(ws, base, commit.tree))
    if tree == target.snapshot.tree:
        return None
    return ws.store.write_commit(
        tree, [target.tip] if target.tip else [], commit.message, author=commit.author
    )


def _same_change(ws: Workspace, target: TreeTarget, files: Changes) -> Oid:
    return ws.store.write_tree(target.snapshot.tree, [(file.path, file.new) for file in files])


def _merged(
    ws: Workspace, change: Candidate, target: TreeTarget, base: Oid, theirs: Oid
) -> tuple[Oid, tuple[str, ...]]:
    """The tree of both, and which files were merged by symbol, in words."""
    from gitscalpel.transaction.land.tree_merge import merge

    merged = merge(ws, base, target.snapshot.tree, theirs)
    if merged.tree is None:
        raise WorldMoved(
            "merge_conflict",
            f"{target.name} has moved since and changed the same places: {merged.words}",
            _resolve(change, target),
            **merged.data,
        )
    return merged.tree, merged.notes


def _moved(change: Candidate, target: TreeTarget, changed_too: list[str]) -> WorldMoved:
    return WorldMoved(
        "target_moved",
        f"{target.name} has moved since, and changed {', '.join(changed_too[:5])} as well",
        f"look at the files again and send the edit again{_gives_up(change)}",
        paths=[answers.quoted(path) for path in changed_too],
    )


def _resolve(change: Candidate, target: TreeTarget) -> str:
    if not change.is_open:
        return "look at the files again and send the edit again"
    return (
        f"in the transaction's worktree ({call('worktree', tx=change.id)}) git commit, git merge "
        f"{target.name} and git add what you resolve, then {call('stage', tx=change.id)}; "
        f"or send the edit again and {call('drop', ids=change.id)}"
    )


def _gives_up(change: Candidate) -> str:
    return f"; {call('drop', ids=change.id)} gives this one up" if change.is_open else ""
