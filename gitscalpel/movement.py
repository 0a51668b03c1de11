"""A branch goes from one commit to another: what is wanted, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from gitscalpel.changesets.file_tree import Oid
    from gitscalpel.git.checkout import Uncommitted
    from gitscalpel.git.journal import DiskRestore, FileFate
    from gitscalpel.git.oplog import Record
    from gitscalpel.git.refs import RefUpdate


class Movement(msgspec.Struct, frozen=True):
    """A branch from one commit to another.

    Attributes:
        branch: ``refs/heads/…``.
        old: where it must be now; None: unborn.
        new: where it goes; None: back to unborn.
        record: for the operation log; branch, before and after are filled in.
        refs: refs that move in the same ref transaction.
        adopted: what was taken from the user's disk; a file that is still so counts as clean.
        restored: what the user's disk is to hold instead of the new commit's files, uncommitted.
        back: how the disk was before what this takes back.
    """

    branch: str
    old: Oid | None
    new: Oid | None
    record: Record
    refs: tuple[RefUpdate, ...] = ()
    adopted: Uncommitted = msgspec.field(default_factory=dict)
    restored: Uncommitted = msgspec.field(default_factory=dict)
    back: Mapping[str, DiskRestore] = msgspec.field(default_factory=dict)


class FileOutcome(msgspec.Struct, frozen=True):
    """What became of one of the user's files.

    Attributes:
        path: relative to the root.
        what: ``written``, ``removed``, ``merged`` (uncommitted changes stay on top), ``restored`` (it is as
            it was before, with what is uncommitted), ``kept`` (it is as it should be), ``left`` (as it is:
            what it was is not kept any more) or ``skipped`` (sparse checkout, submodule).
    """

    path: str
    what: FileFate


class Landed(msgspec.Struct, frozen=True):
    """A movement that was made.

    Attributes:
        before: where the branch was.
        after: where it is.
        entry: the operation log's commit for it.
        files: what became of the user's files; empty if the branch is not checked out here.
    """

    before: Oid | None
    after: Oid | None
    entry: Oid
    files: tuple[FileOutcome, ...]
