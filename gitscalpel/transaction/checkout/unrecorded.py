"""Edits of the checkout where nothing can be recorded: ``--no-record``.

A coding agent's sandbox often lets its commands write the files and keeps ``.git`` read-only. An edit can
then be written, but neither journalled nor undone. Only files that equal their blob in the index are
written, so that `git restore` brings back what they were.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from gitscalpel.changesets.answers import quoted
from gitscalpel.changesets.file_tree import Change, Changes
from gitscalpel.changesets.requests import Changeset
from gitscalpel.errors import BadCall, WorldMoved
from gitscalpel.errors.messages import arg, call
from gitscalpel.git import checkout, index, journal, working_tree
from gitscalpel.git.checkout_plan import Planned
from gitscalpel.git.journal import Row
from gitscalpel.git.working_tree import WorkTree
from gitscalpel.transaction.checkout import editing
from gitscalpel.transaction.checkout.steps import refuse_elsewhere
from gitscalpel.transaction.result import Result
from gitscalpel.workspace import Workspace


def edit_unrecorded(ws: Workspace, changeset: Changeset) -> Result:
    """Edit files on disk without a record, all of them or none unless the process is killed.

    Raises:
        BadCall: ``invalid_args``: the changeset has a request id, which only a record could keep.
        WorldMoved: ``dirty_overlap``: a file differs from its blob in the index, or changes meanwhile;
            ``operation_in_progress``: another command is landing, or was killed.
        ScalpelError: as :func:`gitscalpel.transaction.checkout.editing.edit`.
    """
    refuse_elsewhere(ws)
    if changeset.request_id is not None:
        words = f"{arg('no_record')} cannot remember the request id {changeset.request_id}"
        raise BadCall("invalid_args", words, "leave out the request id, or let the step be recorded")
    if journal.path_of(ws.repo.scalpel_dir).exists():
        raise WorldMoved(
            "operation_in_progress",
            "another command is writing files, or was killed while it did",
            f"try again; if it stays, run `{call('recover')}` where .git is writable",
        )
    done = editing.try_out(ws, changeset)
    work = working_tree.files_of(ws.repo, ws.store)
    changes = tuple(done.files)
    _require_unchanged(ws, work, changes)
    _write(work, done.files)
    paths = " ".join(quoted(change.path) for change in changes if change.old is not None)
    restored = f"`git restore {paths}` takes it back" if paths else "delete the file to take it back"
    words = f"not recorded ({arg('no_record')}): undo and log do not know this step; {restored}"
    return msgspec.structs.replace(done, state="edited", base=None, said=(*done.said, words))


def _require_unchanged(ws: Workspace, work: WorkTree, changes: Sequence[Change]) -> None:
    """Refuse files whose bytes the index does not hold."""
    staged = index.entries_of(ws.repo, [change.path for change in changes])
    for path, old, _ in changes:
        held = staged[path].entry if path in staged else None
        if not work.same(old, held and work.expected(held)):
            raise WorldMoved(
                "dirty_overlap",
                f"{quoted(path)} differs from what git holds, and {arg('no_record')} could not bring it back",
                f"commit or stage it first, or leave out {arg('no_record')} where .git is writable",
                path=quoted(path),
            )


def _write(work: WorkTree, files: Changes) -> None:
    """Bring the files to their new state; put all of them back where one cannot be written."""
    rows = [Row(path=path, index=None, new=None, before=old, after=new) for path, old, new in files]
    contents = {change.new.oid: files.after(change) for change in files if change.new is not None}
    contents |= {change.old.oid: files.before(change) for change in files if change.old is not None}
    token = os.urandom(8).hex()

    def bring(row: Row) -> None:
        checkout.bring(work, [Planned(row, "written")], contents.__getitem__, token)

    try:
        for row in sorted(
            rows, key=lambda row: row.after is not None
        ):  # a file may make room for a directory
            bring(row)
    except BaseException:
        for row in rows:
            if work.same(checkout.solid(work, row.path), row.after):
                with suppress(OSError, WorldMoved):
                    bring(msgspec.structs.replace(row, before=row.after, after=row.before))
        raise
