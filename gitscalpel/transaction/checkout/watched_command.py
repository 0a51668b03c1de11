"""Run a command in the checkout and record all its file changes as one step that undo can take back."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from gitscalpel.changesets import answers
from gitscalpel.changesets.file_tree import Change, Changes, Oid
from gitscalpel.changesets.validation import worded
from gitscalpel.errors.messages import call
from gitscalpel.git import journal, oplog, refs, uncommitted
from gitscalpel.system import processes
from gitscalpel.transaction.checkout import snapshots
from gitscalpel.transaction.checkout.edit_checkout import edited, plain, record_of
from gitscalpel.transaction.checkout.snapshots import Differences, Snapshot
from gitscalpel.transaction.movement import auto_recovery, checkout_write
from gitscalpel.transaction.movement.checkout_write import Rewrite
from gitscalpel.transaction.result import Result
from gitscalpel.workspace import Workspace


class Watched(NamedTuple):
    """A command that has run in the checkout.

    Attributes:
        status: its exit status, as a shell gives it.
        before: what the checkout held.
        did: what it changed; None: nothing.
        warnings: what odd things came of it, in words.
    """

    status: int
    before: Snapshot
    did: Result | None
    warnings: tuple[str, ...] = ()


def watch(ws: Workspace, words: Sequence[str], message: str | None = None, *, aloud: bool = True) -> Watched:
    """Run a command where the caller stands, between two snapshots.

    What others do in the checkout meanwhile counts as its work. Where it moves HEAD, no step is made of
    it: the snapshot says what was there.

    Args:
        ws: where.
        words: the program and its arguments.
        message: of the step; None: one that names the command.
        aloud: what it prints goes where the caller's output goes; else to standard error.

    Raises:
        BadCall: ``invalid_args``: there is no such program, or the message is not text.
    """
    message = worded(message or "")
    before = snapshots.take(ws)
    head, log = _head(ws), ws.store.resolve(refs.OPS)
    folder = ws.session.folder or Path.cwd()
    status = processes.passed_through(words, folder, ws.session.environment, aloud=aloud)
    after = snapshots.take(ws, apart=uncommitted.read_excluded(ws.store, before.commit))
    left_out = tuple(dict.fromkeys((*before.left_out, *after.left_out)))
    changes, left = _differences(ws, before, after)
    warnings = (*(f"not in the snapshot: {each}" for each in left_out), *left)
    if _head(ws) != head:
        back = call("restore", id=before.id)
        moved = f"HEAD has moved, so no step was made of it; {back} has the files as they were"
        return Watched(status, before, None, (*warnings, moved))
    warnings = (*warnings, *_others(ws, log))
    said = answers.clean(message or f"Run {shlex.join(words)}")
    return Watched(status, before, _noted(ws, said, changes), warnings)


def _others(ws: Workspace, log: Oid | None) -> Iterator[str]:
    """What was recorded meanwhile, in words."""
    for entry in oplog.read(ws.repo):
        if entry.oid == log:
            return
        record = entry.record
        if record.place == journal.worktree_name(ws.repo):
            who = record.agent or record.user
            yield f"{record.kind} {record.tx} by {who} was made here meanwhile: it counts as the command's"


def _head(ws: Workspace) -> tuple[str | None, str | None]:
    return ws.repo.head, ws.repo.resolve("HEAD^{commit}")


def _differences(ws: Workspace, before: Snapshot, after: Snapshot) -> Differences:
    return Differences([]) if before.commit == after.commit else snapshots.between(ws, before, after)


def _noted(ws: Workspace, message: str, changes: list[Change]) -> Result | None:
    """Record the step of what has changed; None if nothing has."""
    if not changes:
        return None
    record = record_of(ws, "edit", refs.new_id(), message, changes)
    with auto_recovery.locked(ws):
        checkout_write.note(ws.repo, ws.store, Rewrite(tuple(changes), record))
    return edited(record.tx, plain(message), Changes(changes, ws.store.read))
