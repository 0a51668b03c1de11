"""Takes uncommitted changes of the checkout into a transaction: a commit of its own below what else it does.

What is taken so lands with all gates, and leaves the checkout clean of it: a file that is still as it was
taken counts as unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gitscalpel.changesets import answers, paths
from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.git import uncommitted
from gitscalpel.workspace import TreeTarget, Workspace


class Adopted(NamedTuple):
    """What was taken from the disk.

    Attributes:
        commit: that holds it, on the tip.
        tree: what the commit leaves.
        words: the commit's message.
    """

    commit: Oid
    tree: Oid
    words: str


def adopt(ws: Workspace, target: TreeTarget, names: Sequence[str], below: Oid | None = None) -> Adopted:
    """The uncommitted changes at files and folders, as a commit.

    Args:
        ws: where.
        target: the branch, which is checked out here.
        names: files and folders; "" is the root.
        below: the tree of what was adopted before; None: nothing was.

    Raises:
        BadCall: ``invalid_args``: the branch is not checked out here.
        DoesNotFit: ``file_not_found``, or ``no_change``: nothing there is uncommitted.
        NotAllowed: ``path_denied``.
    """
    if ws.repo.work_tree is None or ws.repo.head != target.branch:
        raise BadCall(
            "invalid_args",
            f"{target.name} is not checked out here, so there is nothing to adopt for it",
            "adopt where it is checked out, or begin without",
        )
    wanted = [paths.clean(name) if name else name for name in names]
    changes = uncommitted.changes(ws.repo, target.snapshot.tree, wanted)
    paths.refuse_files(names, (change.path for change in changes))
    if not changes:
        raise DoesNotFit("no_change", "nothing there is uncommitted", "nothing is left to take in")
    tree = ws.store.write_tree(below or target.snapshot.tree, [(each.path, each.new) for each in changes])
    listed = [answers.quoted(change.path) for change in changes]
    more = f" and {len(listed) - 3} more" if len(listed) > 3 else ""
    words = f"Adopt uncommitted changes of {', '.join(listed[:3])}{more}"
    return Adopted(ws.store.write_commit(tree, [target.tip] if target.tip else [], words), tree, words)
