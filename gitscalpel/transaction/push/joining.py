"""What a branch of ours is to name: the change alone, or on top of what others have pushed since."""

from __future__ import annotations

import shlex

import msgspec

from gitscalpel.changesets.answers import short
from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import WorldMoved
from gitscalpel.errors.messages import arg
from gitscalpel.transaction.candidate import Candidate
from gitscalpel.transaction.check import judging
from gitscalpel.transaction.push.there import There, stands_on
from gitscalpel.transaction.rebase.merging import merge
from gitscalpel.transaction.shadow import changed
from gitscalpel.workspace import Workspace


def joined(ws: Workspace, change: Candidate, there: There) -> tuple[Candidate, Oid]:
    """The change, and the commit that the branch is to name: with what others have pushed there since.

    Raises:
        WorldMoved: ``target_moved`` or ``merge_conflict``.
    """
    if there.tip is None or same(ws, change.head, there.tip):
        return change, there.tip or change.head
    _refuse_rewritten(ws, there)
    if there.change is not None and same(ws, change.head, there.change):
        return change, there.tip
    if there.tip == there.change:  # nobody else has added anything
        return change, change.head
    return _on_top(ws, change, there, there.tip)


def _refuse_rewritten(ws: Workspace, there: There) -> None:
    ref, ours = short(there.ref), there.ours
    known = ours is not None and ws.holds(ours) and there.change is not None and ws.holds(there.change)
    if not (known and stands_on(ws, str(there.tip), str(ours))):
        fetch = f"git fetch {shlex.quote(there.remote)} {shlex.quote(there.ref)}"
        raise WorldMoved(
            "target_moved",
            f"{ref} is on {there.remote} already, and does not stand on what this repository has left there",
            f"look at it (`{fetch}`); {arg('branch', 'NAME')} pushes to another one",
            ref=there.ref,
        )


def _on_top(ws: Workspace, change: Candidate, there: There, tip: Oid) -> tuple[Candidate, Oid]:
    """What has changed since the last push, on top of what others have added; the target comes along."""
    merged = merge(ws, ws.store.commit(str(there.change)).tree, change.tree(ws), ws.store.commit(tip).tree)
    if merged.tree is None:
        where = f"{short(there.ref)} on {there.remote}"
        words = f"others have pushed to {where}, and changed the same places: {merged.words}"
        hint = f"look at theirs: `git fetch {shlex.quote(there.remote)} {shlex.quote(there.ref)}`"
        raise WorldMoved("merge_conflict", words, hint, **merged.data)
    meta = msgspec.structs.replace(change.meta, checked=False)
    files = changed(ws, ws.store.tree_of(change.meta.base), merged.tree)
    whole = judging.ready(ws, change.revised(ws, merged.tree, meta, files))
    parents = [tip] if stands_on(ws, tip, there.target) else [tip, there.target]
    made = ws.store.commit(change.head)
    return whole, ws.store.write_commit(whole.tree(ws), parents, made.message, author=made.author)


def same(ws: Workspace, one: Oid, other: Oid) -> bool:
    """Whether two commits say the same, whenever they were made."""
    a, b = ws.store.commit(one), ws.store.commit(other)
    return (a.tree, [*a.parents], a.message) == (b.tree, [*b.parents], b.message)
