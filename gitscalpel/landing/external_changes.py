"""Record changes of the checkout that other programs make: at any time, or by a watched command.

A ref records the disk and the log at the last look. A difference that the log does not explain becomes a
step, unless git made it by checking out another commit.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import msgspec

from gitscalpel.changesets import answers
from gitscalpel.changesets.file_tree import Change, Changes, Entry, Oid
from gitscalpel.changesets.requests import require_text
from gitscalpel.errors import Damaged
from gitscalpel.errors.messages import call
from gitscalpel.git import commits, journal, oplog, ref_transaction, refs, uncommitted
from gitscalpel.git.object_store import MissingObject
from gitscalpel.git.oplog import Record
from gitscalpel.git.refs import OPS, RefUpdate
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.git.uncommitted import ExcludedFiles
from gitscalpel.landing import snapshots
from gitscalpel.landing.checkout_edit import edit_result, make_record, plain_meta, require_checkout
from gitscalpel.landing.snapshots import Differences, Snapshot
from gitscalpel.system import private_files, processes, serialization, trust
from gitscalpel.transaction import branch_update, recovery
from gitscalpel.transaction.branch_update import LockedRepository, Rewrite
from gitscalpel.transaction.result import Result
from gitscalpel.workspace.workspace import Workspace

_SUBJECT = "scalpel: the checkout, as far as it is known"
_ABOUT = "account"
_NONE = "none"
_STEPS = 10_000


class _LastLook(msgspec.Struct, frozen=True):
    """State of the disk at the last look."""

    tree: Oid  # tree of the files
    head: Oid | None  # commit that was checked out, or None
    log: Oid | None  # newest entry of the operation log, or None
    unheld: Oid  # commit that lists the files outside the tree


def record_external_changes(ws: Workspace, message: str) -> Result | None:
    """Record changes of the checkout that no step explains as a new step. Return None if there are none.

    The first call has nothing to compare with, and only notes the state of the disk.

    Raises:
        BadCall: ``invalid_args``: there is no checkout.
        TryAgain: ``busy``.
    """
    require_checkout(ws)
    done = None
    with recovery.hold_lock(ws) as held:
        before, old = _read_last_look(ws)
        apart = uncommitted.read_excluded(ws.store, Oid(str(old))) if before else ExcludedFiles()
        state = uncommitted.capture(ws.repo, held, apart)
        head = ws.repo.resolve("HEAD^{commit}")
        changes, notes = Differences([])
        with suppress(MissingObject):  # then the earlier state is not known
            changes, notes = (
                _find_unexplained(ws, before, apart, state.tree, head) if before else Differences([])
            )
        if changes:
            record = make_record(ws, "edit", refs.new_id(), answers.make_json_safe(message), changes)
            branch_update.note(LockedRepository(ws.repo, ws.store, held), Rewrite(tuple(changes), record))
            done = edit_result(record.tx, plain_meta(message), Changes(changes, ws.store.read))
            done = msgspec.structs.replace(done, said=notes)
        now = _LastLook(
            state.tree,
            head,
            ws.store.resolve(OPS),
            uncommitted.write_excluded(ws.store, state.excluded),
        )
        if now != before:
            _write_last_look(ws, now, old)
    return done


def _find_unexplained(
    ws: Workspace, before: _LastLook, apart: ExcludedFiles, tree: Oid, head: Oid | None
) -> Differences:
    steps = [*_iter_steps(ws, before.log)]
    written = dict(
        chain.from_iterable(_iter_written_entries(ws, record) for record in steps if _is_kept(ws, record))
    )
    # The files of a step are not known after its commits have expired.
    unknown = {path for record in steps if not _is_kept(ws, record) for path in record.paths}
    expected = ws.store.write_tree(before.tree, list(written.items())) if written else before.tree
    committed = TreeSnapshot(ws.store, ws.repo.git, ws.store.commit(head).tree) if head else None
    found, notes = snapshots.compare(ws, expected, apart, tree)

    def is_by_git(change: Change) -> bool:
        return head != before.head and committed is not None and committed.entry(change.path) == change.new

    changes = [change for change in found if change.path not in unknown and not is_by_git(change)]
    return Differences(changes, notes)


def _iter_steps(ws: Workspace, since: Oid | None) -> Iterator[Record]:
    """Yield the steps of this checkout that were logged after ``since``, oldest first."""
    place = journal.worktree_name(ws.repo)
    for entry in reversed(list(oplog.read_log_since(ws.store, since, _STEPS))):
        if entry.record.place == place and entry.record.after is not None:
            yield entry.record


def _is_kept(ws: Workspace, record: Record) -> bool:
    return ws.has_commit(Oid(str(record.after)))


def _iter_written_entries(ws: Workspace, record: Record) -> Iterator[tuple[str, Entry | None]]:
    after = TreeSnapshot(ws.store, ws.repo.git, ws.store.commit(Oid(str(record.after))).tree)
    for path in record.paths:
        yield path, after.entry(path)
    for row in record.disk:
        yield serialization.decode_path(row.path), row.after


def _read_last_look(ws: Workspace) -> tuple[_LastLook | None, Oid | None]:
    """Return the last look at the disk if this user has written it, and the commit that contains it."""
    found = ws.store.resolve(_ref_name(ws))
    if found is None or not ws.has_commit(found):
        refs.remove_broken_ref(ws.repo, _ref_name(ws))
        return None, None
    commit = ws.store.commit(found)
    _, _, trailer = commit.message.rpartition("\n\n")
    log, _, mark = trailer.strip().partition(" ")
    *heads, listed = commit.parents or (Oid(""),)
    look = _LastLook(commit.tree, heads[0] if heads else None, Oid(log) if log != _NONE else None, listed)
    is_ours = trust.is_marked(_ABOUT, msgspec.json.encode(look), mark)
    return (look if is_ours and (look.log is None or ws.has_commit(look.log)) else None), found


def _write_last_look(ws: Workspace, now: _LastLook, old: Oid | None) -> None:
    committer = oplog.committer_line(make_record(ws, "edit", "", "", ()))
    parents = [*([now.head] if now.head else []), now.unheld]
    words = f"{_SUBJECT}\n\n{now.log or _NONE} {trust.make_mark(_ABOUT, msgspec.json.encode(now))}"
    commit = ws.store.write_raw_commit(commits.serialize_commit(now.tree, parents, words, committer))
    with ws.store.lasting():
        ref_transaction.update_refs(
            ws.repo, [RefUpdate(_ref_name(ws), old, commit)], "scalpel: look at the checkout"
        )


def _ref_name(ws: Workspace) -> str:
    name = blake2b(
        journal.worktree_name(ws.repo).encode("utf-8", "surrogateescape"), digest_size=8
    ).hexdigest()
    return refs.ACCOUNT + name


_FOLDER = "agents"
_ABOUT_FORESEEN = "foreseen"
_LARGEST = 4 << 20
"""Maximum size in bytes of all files of one call; larger results are not compared."""
_LASTS = 24 * 3600


def note_expected_files(ws: Workspace, call: str, files: Mapping[str, bytes]) -> None:
    """Note the expected contents of files, by path, until the second hook event of a tool call, or a day."""
    if sum(map(len, files.values())) > _LARGEST:
        return
    folder = private_files.ensure_folder(ws.repo.scalpel_dir / _FOLDER)
    for old in private_files.list_folder(folder):
        with suppress(OSError):
            if time.time() - old.stat().st_mtime > _LASTS:
                private_files.remove_path(old)
    content = msgspec.json.encode(
        {serialization.encode_path(path): content for path, content in files.items()}
    )
    trust.write_sealed(_file_of_call(folder, call), folder, _ABOUT_FORESEEN, content)


def take_expected_files(ws: Workspace, call: str) -> dict[str, bytes]:
    """Return and delete the expected contents noted for a tool call; empty if there are none."""
    folder = ws.repo.scalpel_dir / _FOLDER
    file = _file_of_call(folder, call)
    content_noted = trust.read_sealed(file, folder, _ABOUT_FORESEEN)
    if content_noted is None:
        return {}
    with suppress(OSError, Damaged):
        private_files.remove_path(file)
    noted = serialization.decode(content_noted, dict[str, bytes])
    return {serialization.decode_path(path): content for path, content in noted.items()}


def _file_of_call(folder: Path, call: str) -> Path:
    return folder / blake2b(call.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()


class Watched(NamedTuple):
    """A command that has run in the checkout."""

    status: int  # exit status as in a shell
    before: Snapshot  # snapshot of the checkout before the command
    did: Result | None  # result of the command's changes, or None if nothing changed
    warnings: tuple[str, ...] = ()  # warnings to report


def watch(ws: Workspace, words: Sequence[str], message: str | None = None, *, aloud: bool = True) -> Watched:
    """Run a command in the caller's directory, between two snapshots.

    Changes that other processes make in the checkout meanwhile count as the command's. If the command moves
    HEAD, no step is recorded, and only the snapshot has the earlier state. Without ``aloud`` its output goes
    to standard error.

    Raises:
        BadCall: ``invalid_args``: there is no such program, or the message is not text.
    """
    message = require_text(message or "")
    before = snapshots.take(ws)
    head, log = _read_head(ws), ws.store.resolve(refs.OPS)
    folder = ws.session.folder or Path.cwd()
    status = processes.run_on_terminal(words, folder, ws.session.environment, aloud=aloud)
    after = snapshots.take(ws, apart=uncommitted.read_excluded(ws.store, before.commit))
    left_out = tuple(dict.fromkeys((*before.left_out, *after.left_out)))
    changes, notes = Differences([])
    if before.commit != after.commit:
        changes, notes = snapshots.compare_snapshots(ws, before, after)
    warnings = (*(f"not in the snapshot: {each}" for each in left_out), *notes)
    if _read_head(ws) != head:
        restore_call = call("restore", id=before.id)
        moved = f"HEAD has moved, so no step was made of it; {restore_call} has the files as they were"
        return Watched(status, before, None, (*warnings, moved))
    warnings = (*warnings, *_iter_other_steps(ws, log))
    step_message = answers.make_json_safe(message or f"Run {shlex.join(words)}")
    return Watched(status, before, _record_changes(ws, step_message, changes), warnings)


def _iter_other_steps(ws: Workspace, log: Oid | None) -> Iterator[str]:
    """Yield descriptions of the steps that other processes recorded meanwhile."""
    for entry in oplog.read_log(ws.repo):
        if entry.oid == log:
            return
        record = entry.record
        if record.place == journal.worktree_name(ws.repo):
            author = record.agent or record.user
            yield f"{record.kind} {record.tx} by {author} was made here meanwhile: it counts as the command's"


def _read_head(ws: Workspace) -> tuple[str | None, str | None]:
    return ws.repo.head, ws.repo.resolve("HEAD^{commit}")


def _record_changes(ws: Workspace, message: str, changes: list[Change]) -> Result | None:
    if not changes:
        return None
    record = make_record(ws, "edit", refs.new_id(), message, changes)
    with recovery.hold_lock(ws) as held:
        branch_update.note(LockedRepository(ws.repo, ws.store, held), Rewrite(tuple(changes), record))
    return edit_result(record.tx, plain_meta(message), Changes(changes, ws.store.read))
