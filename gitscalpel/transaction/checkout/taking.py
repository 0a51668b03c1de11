"""Work that was begun in the checkout goes into an open transaction, to land with all gates."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from gitscalpel.errors import WorldMoved
from gitscalpel.errors.messages import call
from gitscalpel.transaction.rebase.merging import merge
from gitscalpel.transaction.rebase.onto import onto_tip
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.shadow import OpenTransaction
from gitscalpel.transaction.stage import adopting, staging
from gitscalpel.workspace import Workspace


def take(ws: Workspace, staged: OpenTransaction, names: Sequence[str]) -> tuple[OpenTransaction, Result]:
    """Take uncommitted changes at files and folders, onto the tip that the branch has by now.

    Landing the transaction leaves the checkout clean of them: what is still as it was taken is unchanged.

    Returns:
        the transaction with them; what they alone did.

    Raises:
        WorldMoved: ``merge_conflict``: the transaction has changed the same places.
        ScalpelError: as :func:`gitscalpel.transaction.stage.adopting.adopt`.
    """
    staged = onto_tip(ws, staged)
    target = ws.at(staged.meta.branch)
    before = ws.store.tree_of(staged.meta.adopted) or target.snapshot.tree
    adopted = adopting.adopt(ws, target, names, before)
    merged = merge(ws, before, staged.tree(ws), adopted.tree)
    if merged.tree is None:
        raise WorldMoved(
            "merge_conflict",
            f"{staged.id} has changed the same places: {merged.words}",
            f"{call('land', tx=staged.id)} first, or edit one of them",
            **merged.data,
        )
    meta = msgspec.structs.replace(staged.meta, adopted=adopted.commit, taken=adopted.words)
    now = msgspec.structs.replace(staged, meta=meta)
    with staging.following(ws, staged, merged.tree):
        return staging.take(ws, now, merged.tree, adopted.words)
