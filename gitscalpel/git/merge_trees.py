"""Three-way merge of whole trees, in memory, by git: renames are followed, no file is touched.

``merge-tree`` takes commits and finds their base itself (``--merge-base`` came with git 2.40), so
each tree is wrapped into a commit whose ancestry says what the base is, also where
the branch has been rewound.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from gitscalpel.git import commits
from gitscalpel.git.repository import Repository
from gitscalpel.git.run import failure
from gitscalpel.git.store import Store
from gitscalpel.snapshot import Oid


class Merged(NamedTuple):
    """The merged tree, and the paths in conflict; with any, the tree holds conflict markers."""

    tree: Oid
    conflicts: tuple[str, ...]


def merge_trees(repo: Repository, store: Store, base: Oid, ours: Oid, theirs: Oid) -> Merged:
    """Merge two trees that both began as ``base``."""
    root = store.write_raw_commit(commits.raw(base, [], "base"))
    sides = [store.write_raw_commit(commits.raw(tree, [root], "side")) for tree in (ours, theirs)]
    result = repo.git.run(
        *_without_drivers(repo), "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", *sides
    )
    if result.status not in (0, 1):
        raise failure("merge-tree", result.status, result.err)
    tree, *rest = result.out.split(b"\0")
    conflicts = tuple(dict.fromkeys(os.fsdecode(path) for path in rest if path))
    return Merged(Oid(tree.decode("ascii").strip()), conflicts if result.status else ())


def _without_drivers(repo: Repository) -> list[str]:
    """Options that make git's own text merge of every merge driver that a configuration names.

    They are programs, and the repository says when they run.
    """
    drivers = [key for key in repo.config if key.startswith("merge.") and key.endswith(".driver")]
    return [part for key in drivers for part in ("-c", f"{key}=git merge-file %A %O %B")]
