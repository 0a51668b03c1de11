"""A changeset done to the files of the checkout, and left there uncommitted."""

from __future__ import annotations

import codecs
import os
from os.path import lexists
from pathlib import Path

import msgspec

from gitscalpel import rewriting
from gitscalpel.changesets.answers import CHECKOUT, quoted
from gitscalpel.changesets.file_tree import Changes
from gitscalpel.changesets.requests import Changeset
from gitscalpel.errors import DoesNotFit, NotAllowed, ScalpelError, WorldMoved
from gitscalpel.git import filters, index, refs
from gitscalpel.git.process import failure, listing
from gitscalpel.git.process import paths as listed
from gitscalpel.git.working_tree_snapshot import WorkingTreeSnapshot
from gitscalpel.rewriting import Rewrite
from gitscalpel.system.repo_lock import Lock
from gitscalpel.transaction import result
from gitscalpel.transaction.candidate import Meta
from gitscalpel.transaction.checkout.steps import (
    edited,
    has_changed,
    record_of,
    refuse_elsewhere,
    until_still,
)
from gitscalpel.transaction.land import healing
from gitscalpel.transaction.land.patience import trying
from gitscalpel.transaction.land.tidy import tidy
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.shadow import OpenTransaction
from gitscalpel.transaction.stage import building
from gitscalpel.workspace import Target, Workspace

_ATTEMPTS = 20


def edit(ws: Workspace, changeset: Changeset, wait: float = 0.0) -> Result:
    """Do operations on the files as they lie on the disk: all of them, or none.

    Where somebody changes a file meanwhile, they are done again on what it has become.

    Args:
        ws: where.
        changeset: what to do.
        wait: for how many seconds to try again while something stands against it that may pass.

    Raises:
        ScalpelError: the first refusal; then nothing has happened.
        WorldMoved: ``stale``: what they address has changed meanwhile, or keeps changing.
    """
    return trying(lambda: _done(ws, changeset), wait)


def _done(ws: Workspace, changeset: Changeset) -> Result:
    healing.heal(ws)
    refuse_elsewhere(ws)
    before = _earlier(ws, changeset)
    if before is not None:
        return before
    try:
        looked = ws.checkout()
        step = _attempt(ws, changeset, looked)  # outside the lock, so that nobody waits for it
    except ScalpelError:
        faster = _by_others(ws, changeset)
        if faster is None:
            raise
        return faster
    with healing.locked(ws) as held:
        done = _earlier(ws, changeset) or _settled(ws, changeset, looked, step, held)
    tidy(ws)
    return done


def _by_others(ws: Workspace, changeset: Changeset) -> Result | None:
    """What became of it where somebody sends the same request at the same moment, and was faster.

    Then the files may be as he has left them, before the log says that it was he.
    """
    if changeset.request_id is None:
        return None
    with healing.locked(ws):
        return _earlier(ws, changeset)


def _attempt(ws: Workspace, changeset: Changeset, looked: Target) -> building.Step:
    """Do operations on the files as they were looked at; nothing is written."""
    try:
        step = building.attempt(ws, changeset, looked)
    except DoesNotFit as error:
        if error.code != "file_not_found" or not error.data.keys().isdisjoint(("meant", "left_out")):
            raise
        hint = "it is not on the disk; check the path, or make a new file with write"
        raise error.but(hint=hint) from error
    _refuse(ws, step.files)
    if any(b"<<<<<<< " in step.files.after(change) for change in step.files):
        from gitscalpel.transaction.check import reading

        reading.refuse_left_markers(ws.repo, step.files)
    _refuse_encoded(ws, step.files)
    return step


def _earlier(ws: Workspace, changeset: Changeset) -> Result | None:
    """What became of the same request before."""
    found = result.earlier(ws, changeset, CHECKOUT)
    assert not isinstance(found, OpenTransaction)  # noqa: S101 - one is for a branch, and was refused
    return found


def _refuse(ws: Workspace, files: Changes) -> None:
    """Refuse files that git keeps out of edits: unmerged ones, those it ignores, those that are left out.

    Raises:
        DoesNotFit: ``conflicted`` or ``exists``.
        NotAllowed: ``path_denied``: nothing of an ignored file may go into git's objects.
    """
    names = {change.path for change in files}
    known = [change.path for change in files if change.old is not None]
    ignored = ws.repo.git.run("check-ignore", "-z", "--stdin", stdin=listing(known))
    if ignored.status > 1:
        raise failure("check-ignore", ignored.status, ignored.err)
    for path in map(quoted, listed(ignored.out)):
        raise NotAllowed(
            "path_denied",
            f"{path} is ignored by git, and an edit that can be undone would keep its bytes in git",
            "edit it with an editor, or `git add -f` it if it belongs to the repository",
            path=path,
        )
    for path, staged in index.entries_of(ws.repo, sorted(names)).items():
        if staged.conflicted and path in names:
            raise DoesNotFit(
                "conflicted",
                f"{quoted(path)} is unmerged",
                "resolve its conflict and `git add` it; files without a conflict can be edited meanwhile",
                path=quoted(path),
            )
        if staged.flags.upper() == "S" and path in names and not lexists(Path(str(ws.repo.work_tree)) / path):
            raise DoesNotFit(
                "exists",
                f"{quoted(path)} is left out by the sparse checkout",
                "`git sparse-checkout add` its folder, or edit it on the branch",
                path=quoted(path),
            )


def _refuse_encoded(ws: Workspace, files: Changes) -> None:
    """Refuse text that git would read in an encoding that neither it nor its byte order mark tells us.

    Raises:
        DoesNotFit: ``unencodable``.
    """
    names = [change.path for change in files if change.new is not None]
    if filters.has_no_attributes(ws.repo, names):
        return
    asked = ("check-attr", "-z", "--stdin", "working-tree-encoding")
    said = ws.repo.git(*asked, stdin=listing(names)).split(b"\0")
    encodings = {os.fsdecode(path): value for path, value in zip(said[0::3], said[2::3], strict=False)}
    for change in files:
        encoding = encodings.get(change.path, b"unset").decode("utf-8", "replace")
        if encoding.lower() in ("unset", "unspecified", "utf-8", "utf8"):
            continue
        if not files.after(change).startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise DoesNotFit(
                "unencodable",
                f"{quoted(change.path)} lies on the disk as {encoding} (.gitattributes)",
                "edit it on a branch, where git converts it, or with an editor",
                path=quoted(change.path),
            )


def _settled(ws: Workspace, changeset: Changeset, looked: Target, step: building.Step, held: Lock) -> Result:
    """Write a step, or what the same operations come to on the files as they are by now."""
    again = building.as_seen(looked.snapshot, changeset)

    def attempt() -> Result:
        nonlocal looked, step
        try:
            return _written(ws, step, looked, held)
        except WorldMoved as error:
            if has_changed(error):
                _tell_kept(ws, error)
                assert isinstance(looked.snapshot, WorkingTreeSnapshot)  # noqa: S101 - it is the checkout
                looked = msgspec.structs.replace(looked, snapshot=looked.snapshot.again())
                step = _again(ws, again, looked)
            raise

    return until_still(attempt, _ATTEMPTS)


def _tell_kept(ws: Workspace, error: WorldMoved) -> None:
    """What one attempt has put aside is said now: the next one knows nothing of it."""
    for file in error.data.get("files", ()):
        if "kept" in file:
            words = f"{file['path']} was saved twice meanwhile: what was saved first is kept in"
            ws.session.warn(f"{words} {file['kept']}")


def _again(ws: Workspace, changeset: Changeset, looked: Target) -> building.Step:
    try:
        return _attempt(ws, changeset, looked)
    except DoesNotFit as error:
        words = f"the file has been changed just now, and {error.message}"
        raise WorldMoved("stale", words, "look at it again; nothing was written") from error


def _written(ws: Workspace, step: building.Step, looked: Target, held: Lock) -> Result:
    for content in step.fresh:
        ws.store.write_blob(content)
    meta = step.meta
    record = msgspec.structs.replace(
        record_of(ws, "edit", refs.new_id(), meta.message, step.files),
        request_ids=meta.request_ids,
        requests=meta.requests,
        note=msgspec.to_builtins(meta.facts),
    )
    rewriting.rewrite(ws.repo, ws.store, held, Rewrite(tuple(step.files), record))
    return edited(record.tx, _unasked(meta, looked), step.files)


def try_out(ws: Workspace, changeset: Changeset) -> Result:
    """What operations would do to the files of the checkout; nothing is written.

    Raises:
        ScalpelError: see :func:`edit`.
    """
    refuse_elsewhere(ws)
    before = _earlier(ws, changeset)
    if before is not None:
        return before
    looked = ws.checkout()
    step = _attempt(ws, changeset, looked)
    return result.draft(_unasked(step.meta, looked), step.files)


def _unasked(meta: Meta, looked: Target) -> Meta:
    """The same with what is asked only of a change as a whole, when it is checked or lands."""
    words = tuple(
        f"{key} has not been asked, which is about a whole change; it is on check or land"
        for key in looked.rules.of_the_whole
    )
    return msgspec.structs.replace(meta, pending={**meta.pending, "policy": words}) if words else meta
