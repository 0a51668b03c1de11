"""Three-way merge of whole trees, in memory, by git: renames are followed, no file is touched.

``merge-tree`` takes commits and finds their base itself (``--merge-base`` came with git 2.40), so
each tree is wrapped into a commit whose ancestry says what the base is, also where
the branch has been rewound.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, Entry, Oid
from gitscalpel.git import commits, version
from gitscalpel.git.repository import Repository
from gitscalpel.git.run import failure
from gitscalpel.git.store import Store

_CONTENT = ("Auto-merging", "CONFLICT (contents)")
"""What git says of a path whose content alone is in conflict."""


Stages = tuple[Entry | None, Entry | None, Entry | None]
"""The entry in the base, ours and theirs, as far as it is there."""


class Conflicted(NamedTuple):
    """A path in conflict.

    Attributes:
        path: relative to the root.
        stages: its entries.
        content: it is a file in all of them, and nothing but its text is in conflict.
    """

    path: str
    stages: Stages
    content: bool


class Merged(NamedTuple):
    """The merged tree, and the paths in conflict; with any, the tree holds conflict markers."""

    tree: Oid
    conflicts: tuple[Conflicted, ...]


def merge_trees(repo: Repository, store: Store, base: Oid, ours: Oid, theirs: Oid) -> Merged:
    """Merge two trees that both began as ``base``."""
    root = store.write_raw_commit(commits.raw(base, [], "base"))
    sides = [store.write_raw_commit(commits.raw(tree, [root], "side")) for tree in (ours, theirs)]
    result = repo.git.run("merge-tree", "--write-tree", "-z", *sides)
    if result.status not in (0, 1):
        version.refuse_old(repo.git, result.status)
        raise failure("merge-tree", result.status, result.err)
    tree, *rest = result.out.split(b"\0")
    conflicts = tuple(_conflicts(iter(rest))) if result.status else ()
    return Merged(Oid(tree.decode("ascii").strip()), conflicts)


def _conflicts(fields: Iterator[bytes]) -> Iterator[Conflicted]:
    """The rows ``mode oid stage TAB path`` up to an empty one, and with what follows it what they mean."""
    stages: dict[str, list[Entry | None]] = {}
    for row in iter(lambda: next(fields, b""), b""):
        where, _, name = row.partition(b"\t")
        mode, oid, stage = where.decode("ascii").split(" ")
        stages.setdefault(os.fsdecode(name), [None] * 3)[int(stage) - 1] = Entry(mode, Oid(oid))
    troubled = set(_other_than_content(fields))
    for path, (base, ours, theirs) in stages.items():
        files = all(
            entry is not None and entry.mode in (REGULAR, EXECUTABLE) for entry in (base, ours, theirs)
        )
        yield Conflicted(path, (base, ours, theirs), files and path not in troubled)


def _other_than_content(fields: Iterator[bytes]) -> Iterator[str]:
    """The paths of which a message says something else: each is a count, so many paths, a type and words."""
    for count in fields:
        if not count.strip():
            return
        paths = [os.fsdecode(next(fields)) for _ in range(int(count))]
        kind = os.fsdecode(next(fields))
        next(fields)
        if kind not in _CONTENT:
            yield from paths
