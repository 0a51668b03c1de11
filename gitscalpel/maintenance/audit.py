"""Verify the operation log, and export it.

The log is a chain of commits, so a changed operation changes all later ones; git checks that. Here the
content is checked: each operation starts where the last left the branch, or commits by others are in between,
and decisions are signed by their users.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git import oplog, refs, scratch
from gitscalpel.git.oplog import Entry
from gitscalpel.workspace import Workspace


class Fault(msgspec.Struct, frozen=True):
    """A fault of an operation.

    Attributes:
        entry: its commit.
        tx: its transaction.
        says: description.
    """

    entry: str
    tx: str
    says: str


class Audit(msgspec.Struct, frozen=True):
    """Result of an audit.

    Attributes:
        steps: number of operations.
        signed: number of operations signed by their user with a key of ``signers``.
        faults: faults.
    """

    steps: int
    signed: int
    faults: tuple[Fault, ...]


def verify(ws: Workspace, signers: bytes | None = None) -> Audit:
    """Verify the log from its first operation.

    ``signers`` are the accepted keys in the format of ``ssh-keygen``, or None to skip signatures.

    Raises:
        Damaged: ``corrupt``: an operation cannot be read.
    """
    entries = list(oplog.read(ws.repo))[::-1]
    faults = [*_check_objects(ws), *_check_chain(ws, entries)]
    signed = 0
    if signers is not None:
        with scratch.made(ws.repo.scalpel_dir) as notes:
            for entry in entries:
                says = oplog.signature_fault(ws.repo, ws.store, entry, signers, notes.path)
                signed += not says
                if says and entry.record.kind in ("approve", "reject"):
                    words = f"{entry.record.kind} by {entry.record.user}: {says}"
                    faults.append(Fault(entry.oid, entry.record.tx, words))
    return Audit(len(entries), signed, tuple(faults))


def rows(ws: Workspace) -> Iterator[dict[str, Any]]:
    """Yield every operation with all its data, the oldest first."""
    for entry in list(oplog.read(ws.repo))[::-1]:
        yield {"entry": entry.oid, **msgspec.to_builtins(entry.record)}


def _check_objects(ws: Workspace) -> Iterator[Fault]:
    result = ws.repo.git.run("rev-list", "--objects", "--quiet", refs.OPS)
    if result.status and ws.store.resolve(refs.OPS) is not None:
        yield Fault("", "", f"objects of the log are missing or damaged: {result.err}")


def _check_chain(ws: Workspace, entries: list[Entry]) -> Iterator[Fault]:
    """Yield the operations that do not start where the previous one ended."""
    at: dict[str, str | None] = {}
    for entry in entries:
        record = entry.record
        if record.kind not in ("land", "undo", "redo") or not record.branch:
            continue
        before = at.get(record.branch, record.before)
        if before != record.before and not _may_have_moved(ws, before, record.before):
            says = f"{record.branch} was at {before}, and this operation starts at {record.before}"
            yield Fault(entry.oid, record.tx, says)
        at[record.branch] = record.after


def _may_have_moved(ws: Workspace, old: str | None, new: str | None) -> bool:
    """Return True if others may have moved a branch from ``old`` to ``new``.

    They moved it forward, or one of the commits no longer exists.
    """
    if old is None:
        return True
    if new is None or not (ws.holds(Oid(old)) and ws.holds(Oid(new))):
        return False
    return not ws.repo.git.run("merge-base", "--is-ancestor", old, new).status
