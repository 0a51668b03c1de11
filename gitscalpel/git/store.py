"""The object store behind one small interface; its back ends are chosen by whoever opens a repository."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from gitscalpel.git.trees import Delta
from gitscalpel.snapshot import Change, Entry, Oid


class Commit(msgspec.Struct, frozen=True):
    """A commit; people as git writes them, ``Name <mail> 1700000000 +0100``."""

    oid: Oid
    tree: Oid
    parents: tuple[Oid, ...]
    author: str
    committer: str
    message: str


class Store(Protocol):
    """Where objects come from and go to. What is written is visible to git at once."""

    def read(self, oid: Oid) -> bytes:
        """A blob's bytes. Raises ``KeyError`` if there is no such blob."""

    def tree(self, oid: Oid) -> dict[str, Entry]:
        """One level of a tree, in its order. Raises ``Damaged`` if it is missing."""

    def commit(self, revision: str) -> Commit:
        """The commit that a revision names. Raises ``KeyError`` if there is none."""

    def resolve(self, revision: str) -> Oid | None:
        """The id of what a ref or revision names now, or None. Name refs in full."""

    def blob_id(self, content: bytes) -> Oid:
        """The id that ``content`` has as a blob; nothing is written."""

    def write_blob(self, content: bytes) -> Oid:
        """Write a blob."""

    def write_tree(self, base: Oid | None, changes: Iterable[Change]) -> Oid:
        """The tree ``base`` (None: empty) with ``changes``; see :func:`gitscalpel.git.trees.edit`."""

    def write_commit(
        self,
        tree: Oid,
        parents: Sequence[Oid],
        message: str,
        *,
        author: str | None = None,
        sign: bool | None = None,
    ) -> Oid:
        """Write a commit.

        Args:
            tree: its tree.
            parents: its parents.
            message: taken as it is, but ends in one line ending.
            author: as in :attr:`Commit.author`; None: the user, now.
            sign: None: as ``commit.gpgSign`` says.

        Raises:
            Misconfigured: ``identity_unknown``, or ``config_error`` if signing failed.
        """

    def write_raw_commit(self, content: bytes) -> Oid:
        """Write a commit object given as bytes, for commits that are records and not anybody's work."""

    def difference(self, old: Oid | None, new: Oid | None) -> list[Delta]:
        """The files in which two trees differ; renames are a removal and an addition."""

    def sync(self) -> None:
        """Make durable what was written."""

    def close(self) -> None:
        """Let go of processes and files."""


def parse_commit(oid: Oid, content: bytes) -> Commit:
    """Read a commit object."""
    head, _, message = content.partition(b"\n\n")
    lines = [line.decode("utf-8", "surrogateescape").partition(" ") for line in head.split(b"\n")]
    fields = {key: value for key, _, value in reversed(lines)}
    parents = tuple(Oid(value) for key, _, value in lines if key == "parent")
    text = message.decode("utf-8", "surrogateescape")
    return Commit(oid, Oid(fields["tree"]), parents, fields["author"], fields["committer"], text)
