"""What a movement did to the bytes of the disk, where the two commits do not tell.

A file may have held what git does not: changes on top, what a clean filter leaves out, other line endings,
or all of the new content while it was untracked. Whoever takes the movement back gives these bytes back
as they were; the ref ``refs/scalpel/disk/<id>`` holds them for as long as undone commits are kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from gitscalpel.changesets.file_tree import Change, Entry
from gitscalpel.git.repository import Repository
from gitscalpel.system import serialization

What = Literal["written", "removed", "merged", "restored", "kept", "left", "skipped"]
"""What became of a file, see :class:`gitscalpel.movement.FileOutcome`."""


class Raw(msgspec.Struct, frozen=True):
    """The disk at one path: ids of the bytes as they were and are; None: nothing was there, or is.

    ``path`` is spelt as :mod:`gitscalpel.system.serialization` does.
    """

    path: str
    before: Entry | None
    after: Entry | None


class Back(msgspec.Struct, frozen=True):
    """One path on the way back.

    Attributes:
        delta: it holds for this change alone, not where later work is in between.
        disk: what the movement had left on the disk.
        goal: what had been there.
    """

    delta: Change
    disk: Entry | None
    goal: Entry | None


def place(repo: Repository) -> str:
    """The worktree whose disk is meant, by its git directory; the repository may be moved."""
    return serialization.spelt(os.path.relpath(repo.git_dir, repo.common_dir))


def told(path: str, before: Entry | None, after: Entry | None) -> Raw:
    """What the record of a movement says of one path."""
    return Raw(serialization.spelt(path), before, after)


def back(rows: Iterable[Raw], deltas: Sequence[Change]) -> Mapping[str, Back]:
    """How to take back what ``rows`` say of a movement that changed ``deltas``, by path."""
    turned = {delta.path: Change(delta.path, delta.new, delta.old) for delta in deltas}
    named = ((serialization.read(row.path), row) for row in rows)
    return {path: Back(turned[path], row.after, row.before) for path, row in named if path in turned}
