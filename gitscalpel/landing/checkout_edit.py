"""Apply a changeset to the files of the checkout, uncommitted, with or without a record.

Without a record, which a sandbox with a read-only ``.git`` needs, only files that equal their blob in the
index are written, so that ``git restore`` brings them back.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from os.path import lexists
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from gitscalpel.changesets.answers import CHECKOUT, quote_path
from gitscalpel.changesets.file_tree import Change as FileChange
from gitscalpel.changesets.file_tree import Changes
from gitscalpel.changesets.requests import Changeset
from gitscalpel.errors import BadCall, DoesNotFit, NotAllowed, ScalpelError, TryAgain, WorldMoved
from gitscalpel.errors.messages import arg, call
from gitscalpel.git import attributes, checkout, index, journal, refs, working_tree
from gitscalpel.git.checkout import PlannedChange
from gitscalpel.git.journal import JournalRow
from gitscalpel.git.oplog import Record
from gitscalpel.git.process import git_error, join_listing
from gitscalpel.git.process import split_listing as listed
from gitscalpel.git.snapshots import WorkingTreeSnapshot
from gitscalpel.git.working_tree import WorkTree
from gitscalpel.landing import build
from gitscalpel.system.repo_lock import Lock
from gitscalpel.transaction import branch_update, recovery, result, static_gates
from gitscalpel.transaction.branch_update import LockedRepository, Rewrite
from gitscalpel.transaction.change import Change, Meta
from gitscalpel.transaction.result import Result
from gitscalpel.transaction.retries import Retries
from gitscalpel.workspace.pruning import run_auto_gc
from gitscalpel.workspace.workspace import Target, Workspace

T = TypeVar("T")
ATTEMPTS = 3


def require_checkout(ws: Workspace) -> None:
    """Raise ``invalid_args`` if there is no checkout, or only the worktree of a transaction."""
    ws.refuse_bare()
    if ws.inside is not None:
        raise BadCall(
            "invalid_args",
            f"this directory is the worktree of transaction {ws.inside}, not a checkout",
            f"edit the transaction ({arg('tx', ws.inside)}), or go to {ws.repo.work_tree}",
        )


def make_record(
    ws: Workspace,
    kind: Literal["edit", "undo", "redo"],
    tx: str,
    message: str,
    changes: Iterable[FileChange],
) -> Record:
    return Record(
        kind=kind,
        tx=tx,
        **ws.author_fields(),
        message=message,
        paths=tuple(change.path for change in changes),
    )


def edit_result(tx: str, meta: Meta, files: Changes) -> Result:
    return msgspec.structs.replace(result.draft_result(meta, files), tx=tx, state="edited", base=None)


def plain_meta(message: str) -> Meta:
    return Meta(branch=CHECKOUT, base=None, asked=message)


def has_changed(error: WorldMoved) -> bool:
    """Return True if another process wrote a file after we read it, and none of our writes remain."""
    return error.code in ("target_moved", "dirty_overlap") and not _is_partly_written(error)


def _is_partly_written(error: WorldMoved) -> bool:
    """Return True if a file was written before the changed one was found, and stays written."""
    refused = tuple(f"{file['path']} " for file in error.data.get("files", ()))
    return any(not words.startswith(refused) for words in error.data.get("left", ()))


def retry_until_unchanged(act: Callable[[], T], attempts: int = ATTEMPTS) -> T:
    """Repeat ``act``, which reads the files again each time, until no other process changes them meanwhile.

    Raises:
        WorldMoved: ``stale``: another process keeps changing the files.
    """
    for attempts_left in reversed(range(attempts)):
        try:
            return act()
        except WorldMoved as error:
            if not has_changed(error):
                raise stale_error(error) if _is_partly_written(error) else error from error
            if not attempts_left:
                raise stale_error(error) from error
    raise AssertionError("the last attempt either returns or raises")


def stale_error(error: WorldMoved) -> WorldMoved:
    """Return an error saying that another program keeps changing the files."""
    words = f"another program is writing here: {error.message}"
    return WorldMoved("stale", words, "try again when it has finished", **error.data)


_ATTEMPTS = 20


def edit(ws: Workspace, changeset: Changeset, wait: float = 0.0) -> Result:
    """Apply operations to the files on disk: all of them, or none.

    If another process changes a file in the meantime, they are applied again to its new content. ``wait`` is
    the number of seconds to retry after a temporary failure.

    Raises:
        ScalpelError: the first error; nothing has changed then.
        WorldMoved: ``stale``: the place to edit has changed in the meantime, or keeps changing.
    """
    retries = Retries("edit", wait)
    while True:
        try:
            return _edit_once(ws, changeset)
        except (TryAgain, WorldMoved) as error:
            if not retries.pause(error):
                raise


def _edit_once(ws: Workspace, changeset: Changeset) -> Result:
    recovery.recover_pending(ws)
    require_checkout(ws)
    earlier = _find_earlier(ws, changeset)
    if earlier is not None:
        return earlier
    try:
        target = ws.checkout()
        draft = _build_step(ws, changeset, target)  # outside the lock, so that no process waits for it
    except ScalpelError:
        faster = _find_result_of_others(ws, changeset)
        if faster is None:
            raise
        return faster
    with recovery.hold_lock(ws) as held:
        done = _find_earlier(ws, changeset) or _write_with_retries(ws, changeset, target, draft, held)
    run_auto_gc(ws)
    return done


def _find_result_of_others(ws: Workspace, changeset: Changeset) -> Result | None:
    """Return the result of the same request if another process was faster.

    That process may have written the files before its entry appears in the log.
    """
    if changeset.request_id is None:
        return None
    with recovery.hold_lock(ws):
        return _find_earlier(ws, changeset)


def _build_step(ws: Workspace, changeset: Changeset, target: Target) -> build.Draft:
    try:
        draft = build.apply_operations(ws, changeset, target)
    except DoesNotFit as error:
        if error.code != "file_not_found" or not error.data.keys().isdisjoint(("meant", "left_out")):
            raise
        hint = "it is not on the disk; check the path, or make a new file with write"
        raise error.but(hint=hint) from error
    _require_editable(ws, draft.files)
    static_gates.require_no_left_markers(ws.repo, draft.files)
    _require_known_encoding(ws, draft.files)
    return draft


def _find_earlier(ws: Workspace, changeset: Changeset) -> Result | None:
    earlier = result.find_earlier(ws, changeset, CHECKOUT)
    assert not isinstance(earlier, Change)  # noqa: S101 - one is for a branch, and was refused
    return earlier


def _require_editable(ws: Workspace, files: Changes) -> None:
    """Raise for files that git does not let us edit: unmerged, ignored, or outside the sparse checkout.

    The content of an ignored file must not become a git object.
    """
    names = {change.path for change in files}
    old_paths = [change.path for change in files if change.old is not None]
    ignored = ws.repo.git.run("check-ignore", "-z", "--stdin", stdin=join_listing(old_paths))
    if ignored.status > 1:
        raise git_error("check-ignore", ignored.status, ignored.err)
    for path in map(quote_path, listed(ignored.out)):
        raise NotAllowed(
            "path_denied",
            f"{path} is ignored by git, but a recorded edit would store its content in git",
            "edit it with an editor, or `git add -f` it if it belongs to the repository",
            path=path,
        )
    for path, staged in index.read_own_index_entries(ws.repo, sorted(names)).items():
        if staged.conflicted and path in names:
            raise DoesNotFit(
                "conflicted",
                f"{quote_path(path)} is unmerged",
                "resolve its conflict and `git add` it; files without a conflict can be edited meanwhile",
                path=quote_path(path),
            )
        if staged.flags.upper() == "S" and path in names and not lexists(Path(str(ws.repo.work_tree)) / path):
            raise DoesNotFit(
                "exists",
                f"{quote_path(path)} is outside the sparse checkout",
                "run `git sparse-checkout add` for its directory, or edit it on the branch",
                path=quote_path(path),
            )


def _require_known_encoding(ws: Workspace, files: Changes) -> None:
    """Raise for text whose encoding in git is not clear from git's attributes or a byte order mark."""
    names = [change.path for change in files if change.new is not None]
    if attributes.has_no_attributes(ws.repo, names):
        return
    arguments = ("check-attr", "-z", "--stdin", "working-tree-encoding")
    output = ws.repo.git(*arguments, stdin=join_listing(names)).split(b"\0")
    encodings = {os.fsdecode(path): value for path, value in zip(output[0::3], output[2::3], strict=False)}
    for change in files:
        encoding = encodings.get(change.path, b"unset").decode("utf-8", "replace")
        if encoding.lower() in ("unset", "unspecified", "utf-8", "utf8"):
            continue
        if not files.after(change).startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise DoesNotFit(
                "unencodable",
                f"{quote_path(change.path)} is stored on disk as {encoding} (.gitattributes)",
                "edit it with an editor, or on a branch, where git converts the encoding",
                path=quote_path(change.path),
            )


def _write_with_retries(
    ws: Workspace, changeset: Changeset, target: Target, draft: build.Draft, held: Lock
) -> Result:
    """Write a step. If files have changed, apply the operations again and write the new step."""
    pinned = build.pin_seen_blobs(target.snapshot, changeset)

    def attempt() -> Result:
        nonlocal target, draft
        try:
            return _write_step(ws, draft, target, held)
        except WorldMoved as error:
            if has_changed(error):
                _report_quarantined(ws, error)
                assert isinstance(target.snapshot, WorkingTreeSnapshot)  # noqa: S101 - it is the checkout
                target = msgspec.structs.replace(target, snapshot=target.snapshot.again())
                draft = _rebuild(ws, pinned, target)
            raise

    return retry_until_unchanged(attempt, _ATTEMPTS)


def _report_quarantined(ws: Workspace, error: WorldMoved) -> None:
    """Report the files that this attempt has quarantined, since the next attempt does not know of them."""
    for file in error.data.get("files", ()):
        if "kept" in file:
            words = f"{file['path']} was saved twice meanwhile: what was saved first is kept in"
            ws.session.warn(f"{words} {file['kept']}")


def _rebuild(ws: Workspace, changeset: Changeset, target: Target) -> build.Draft:
    try:
        return _build_step(ws, changeset, target)
    except DoesNotFit as error:
        words = f"the file has just been changed, and {error.message}"
        raise WorldMoved("stale", words, "read it again; nothing was written") from error


def _write_step(ws: Workspace, draft: build.Draft, target: Target, held: Lock) -> Result:
    for content in draft.fresh:
        ws.store.write_blob(content)
    meta = draft.meta
    record = msgspec.structs.replace(
        make_record(ws, "edit", refs.new_id(), meta.message, draft.files),
        request_ids=meta.request_ids,
        requests=meta.requests,
        note=msgspec.to_builtins(meta.facts),
    )
    branch_update.rewrite(LockedRepository(ws.repo, ws.store, held), [Rewrite(tuple(draft.files), record)])
    return edit_result(record.tx, _add_pending(meta, target), draft.files)


def try_out(ws: Workspace, changeset: Changeset) -> Result:
    """Return the result that :func:`edit` would have; nothing is written."""
    require_checkout(ws)
    earlier = _find_earlier(ws, changeset)
    if earlier is not None:
        return earlier
    target = ws.checkout()
    draft = _build_step(ws, changeset, target)
    return result.draft_result(_add_pending(draft.meta, target), draft.files)


def _add_pending(meta: Meta, target: Target) -> Meta:
    """Return the metadata with the gates that judge only a whole change, on check or land, as pending."""
    words = tuple(
        f"{key} has not run yet, since it judges whole changes; it runs on check or land"
        for key in target.rules.whole_change_keys
    )
    return meta.but(pending={**meta.pending, "policy": words}) if words else meta


def edit_unrecorded(ws: Workspace, changeset: Changeset) -> Result:
    """Edit files on disk without a record: all of them or none, unless the process is killed.

    Raises:
        BadCall: ``invalid_args``: the changeset has a request id, which needs a record.
        WorldMoved: ``dirty_overlap``: a file differs from its blob in the index, or changes in the meantime;
            ``operation_in_progress``: another command is landing, or was killed.
        ScalpelError: as for :func:`edit`.
    """
    require_checkout(ws)
    if changeset.request_id is not None:
        words = f"{arg('no_record')} cannot remember the request id {changeset.request_id}"
        raise BadCall("invalid_args", words, f"leave out the request id or {arg('no_record')}")
    if journal.journal_path(ws.repo.scalpel_dir).exists():
        raise WorldMoved(
            "operation_in_progress",
            "another command is writing files, or was killed while it did",
            f"try again; if this error persists, run `{call('recover')}` where .git is writable",
        )
    done = try_out(ws, changeset)
    work = working_tree.open_working_tree(ws.repo, ws.store)
    changes = tuple(done.files)
    _require_unchanged(ws, work, changes)
    _write(work, done.files)
    paths = " ".join(quote_path(change.path) for change in changes if change.old is not None)
    restored = f"`git restore {paths}` undoes it" if paths else "delete the file to undo it"
    words = f"not recorded ({arg('no_record')}): undo and log do not know this step; {restored}"
    return msgspec.structs.replace(done, state="edited", base=None, said=(*done.said, words))


def _require_unchanged(ws: Workspace, work: WorkTree, changes: Sequence[FileChange]) -> None:
    staged = index.read_own_index_entries(ws.repo, [change.path for change in changes])
    for path, old, _ in changes:
        held = staged[path].entry if path in staged else None
        if not work.same(old, held and work.disk_entry(held)):
            raise WorldMoved(
                "dirty_overlap",
                f"{quote_path(path)} differs from the index, and {arg('no_record')} cannot restore it",
                f"commit or stage it first, or leave out {arg('no_record')} where .git is writable",
                path=quote_path(path),
            )


def _write(work: WorkTree, files: Changes) -> None:
    """Write the new contents of the files. Restore all of them if one cannot be written."""
    rows = [JournalRow(path=path, index=None, new=None, before=old, after=new) for path, old, new in files]
    contents = {change.new.oid: files.after(change) for change in files if change.new is not None}
    contents |= {change.old.oid: files.before(change) for change in files if change.old is not None}
    token = os.urandom(8).hex()

    def bring(row: JournalRow) -> None:
        checkout.apply_plan(work, [PlannedChange(row, "written")], contents.__getitem__, token)

    try:
        for row in sorted(
            rows, key=lambda row: row.after is not None
        ):  # a file may make room for a directory
            bring(row)
    except BaseException:
        for row in rows:
            if work.same(checkout.find_remaining(work, row.path), row.after):
                with suppress(OSError, WorldMoved):
                    bring(msgspec.structs.replace(row, before=row.after, after=row.before))
        raise
