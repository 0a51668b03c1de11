"""Recover from a killed or failed landing: forward if its refs have moved, back otherwise.

Failed and killed landings use the same steps, so that this path is in constant use. Every call that changes
something recovers first. A gate program may not: it must not change what it checks.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Literal

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import BadCall, Damaged, InputOutput, NotAllowed, TryAgain
from gitscalpel.errors.messages import call
from gitscalpel.git import (
    checkout,
    index,
    journal,
    object_writer,
    ref_transaction,
    refs,
    scratch,
    working_tree,
)
from gitscalpel.git.journal import Journal
from gitscalpel.git.object_store import Store
from gitscalpel.git.pool import lease
from gitscalpel.git.refs import OPS, RefUpdate
from gitscalpel.git.repository import Repository, linked_root, read_head
from gitscalpel.git.scratch import Scratch, move_to_quarantine
from gitscalpel.system import repo_lock
from gitscalpel.system.failpoint import step
from gitscalpel.system.repo_lock import Lock
from gitscalpel.workspace.workspace import Workspace

_TRANSACTION = "transaction"


def is_pending(repo: Repository) -> bool:
    """Return True if a command was killed, or is landing right now. For commands that only read."""
    return journal.journal_path(repo.scalpel_dir).exists() or scratch.has_abandoned(repo.scalpel_dir)


def recovery_status(repo: Repository) -> Literal["none", "pending", "untrusted"]:
    """Return whether a recovery is pending, and whether this user wrote its journal."""
    if not is_pending(repo):
        return "none"
    with ExitStack() as held:
        try:
            journal.read_journal(repo.scalpel_dir)
        except (NotAllowed, Damaged):
            return "untrusted"
        doubtful = any(each.doubtful for each in scratch.take_abandoned(repo.scalpel_dir, held))
        return "untrusted" if doubtful else "pending"


def recover(repo: Repository, store: Store, lock: Lock) -> list[str]:
    """Recover what killed commands left, and return what was done. The caller holds the tool's lock."""
    notes: list[str] = []
    with ExitStack() as held:
        intent, doubts = _trusted_journal(repo)
        is_due = ref_transaction.is_boot_check_due(repo.scalpel_dir)
        if is_due:
            named = [update.ref for update in intent.refs] if intent else []
            notes += [
                f"removed {file}, a lock from before a power cut"
                for file in ref_transaction.remove_older_than_boot(repo, named)
            ]
        abandoned = []
        for each in scratch.take_abandoned(repo.scalpel_dir, held):
            if each.doubtful:
                doubts.append(_set_aside(repo, each.path))
            else:
                abandoned.append(each)
        notes += doubts
        for each in abandoned:
            step()
            locks = ref_transaction.remove_noted_locks(each, killed=True)
            notes += [f"removed {file}, the lock of a git that was interrupted" for file in locks]
        if intent is not None:
            moved, more = finish_or_roll_back(_repository_of(repo, intent), store, lock, intent)
            notes.append(
                f"{intent.what} had been interrupted; it was {'finished' if moved else 'taken back'}"
            )
            notes += more
        if abandoned:
            notes += _finish(repo, store, abandoned)
        if abandoned and notes == doubts:
            notes += ["removed the temporary files of a command that was interrupted"]
    if abandoned or intent is not None:
        object_writer.release_packs(repo.common_dir / "objects")
    _remove_temporary_files(repo)
    if is_due:
        ref_transaction.note_boot_check(repo.scalpel_dir)
    return notes


def _finish(repo: Repository, store: Store, abandoned: Sequence[Scratch]) -> Iterator[str]:
    """Finish the actions that killed commands had noted in advance, and yield descriptions of them."""
    # Notes without a transaction come first, since no other process uses their refs any more.
    for each in sorted(abandoned, key=lambda each: each.read(_TRANSACTION)):
        for ref in ref_transaction.finish_noted_updates(repo, each):
            yield f"moved {ref} with the others, as an interrupted git had begun"
        yield from lease.finish_interrupted(repo, store, each)
        yield from _drop_provisional(repo, each)


def take_over(repo: Repository, store: Store, lock: Lock, file: Path) -> list[str]:
    """Recover by the journal in ``file`` although another user wrote it, and return what was done.

    Raises:
        Damaged: ``corrupt``: the file is not a journal, or leads out of the repository.
        TryAgain: ``busy``: another recovery is pending.
        BadCall: ``invalid_args``: the journal is about another worktree.
    """
    pending = journal.journal_path(repo.scalpel_dir)
    if pending.exists() and not (file.exists() and pending.samefile(file)):
        raise TryAgain(
            "busy",
            f"{pending} is the journal of another interrupted landing",
            f"first run {call('recover')}",
        )
    intent = journal.read_foreign_journal(file)
    if os.path.normpath(repo.common_dir / intent.git_dir) != os.path.normpath(repo.git_dir):
        raise BadCall(
            "invalid_args",
            f"{file} belongs to another worktree: {intent.git_dir}",
            "run the command in that worktree",
        )
    moved, more = finish_or_roll_back(repo, store, lock, intent)
    file.unlink(missing_ok=True)
    return [f"{intent.what} had been interrupted; it was {'finished' if moved else 'taken back'}", *more]


def _trusted_journal(repo: Repository) -> tuple[Journal | None, list[str]]:
    """Return the journal if this user wrote it, and notes on a journal of another user.

    Raises:
        TryAgain: ``busy``: the journal belongs to another user of a shared repository.
    """
    try:
        return journal.read_journal(repo.scalpel_dir), []
    except NotAllowed:
        path = journal.journal_path(repo.scalpel_dir)
        owner = path.lstat().st_uid
        if owner != os.geteuid():
            raise TryAgain(
                "busy",
                f"a landing of another user ({_user_name(owner)}) was interrupted here",
                f"ask {_user_name(owner)} to run {call('recover')}; "
                f"or take it over with {call('recover', take_over=str(path))}",
                recovery="untrusted",
                path=str(path),
            ) from None
        return None, [_set_aside(repo, path)]


def _set_aside(repo: Repository, path: Path) -> str:
    new = move_to_quarantine(repo.scalpel_dir, path)
    words = f"recovery: untrusted: {path} was not written by you here; it was not followed, and is now {new}"
    if path == journal.journal_path(repo.scalpel_dir):
        words += f" (if you know it to be right: {call('recover', take_over=str(new))})"
    return words


def _user_name(owner: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(owner).pw_name
    except KeyError:
        return f"uid {owner}"


@contextmanager
def mark_provisional(repo: Repository, tx: str) -> Iterator[None]:
    """Mark a transaction that ends with the block. Recovery drops it if this process is killed there."""
    with scratch.hold_new_scratch(repo.scalpel_dir) as held:
        held.write(_TRANSACTION, tx.encode("ascii"), durable=True)
        stays = False
        try:
            yield
        except BaseException:
            stays = bool(_refs_of(repo, tx))  # dropping it failed too, for example on a full disk
            raise
        finally:
            if not stays:
                scratch.remove_scratch(held)


def _drop_provisional(repo: Repository, abandoned: Scratch) -> list[str]:
    """Drop the transaction that a killed command had begun only for itself."""
    tx = abandoned.read(_TRANSACTION).decode("ascii", "replace")
    if any(
        ref_transaction.is_lock_noted(note, refs.TX + tx)
        for note in scratch.read_notes(repo.scalpel_dir, ref_transaction.REF_LOCKS_NOTE)
    ):
        return []  # a git that outlived its parent is about to put it there
    notes = []
    if tx:
        now = _refs_of(repo, tx)
        if now:
            step()
            updates = [RefUpdate(ref, oid, None) for ref, oid in now.items()]
            ref_transaction.update_refs(repo, updates, f"scalpel: give up {tx}")
            notes = [f"transaction {tx} had not landed when its command was interrupted; it was given up"]
    scratch.remove_scratch(abandoned)
    return notes


def _refs_of(repo: Repository, tx: str) -> dict[str, Oid]:
    return refs.read_refs(repo, [refs.TX + tx, refs.META + tx])


def _remove_temporary_files(repo: Repository) -> None:
    """Remove temporary files that are written under the lock and renamed when complete."""
    for name in ("journal.new", "index.new", "index.new.lock", "index.lock.new"):
        (repo.scalpel_dir / name).unlink(missing_ok=True)


def finish_or_roll_back(
    repo: Repository, store: Store, lock: Lock, intent: Journal, spared: Container[str] = ()
) -> tuple[bool, list[str]]:
    """Finish the update in a journal if its refs have moved, or else roll it back.

    ``spared`` are files that another program has written since, which are not rolled back. Return True if the
    refs have moved, and notes on the recovery.
    """
    step()
    index.remove_own_index_lock(repo.git_dir, intent.token)
    now = refs.read_refs(repo, [update.ref for update in intent.refs])
    moved = _has_moved(repo, intent, now)
    notes: list[str] = []
    if moved:
        # Files and index were complete and durable before the first ref moved.
        ref_transaction.move_remaining_refs(repo, intent.refs, now, f"scalpel: recover {intent.what}")
    elif intent.work_tree is not None and repo.git_dir.is_dir():
        followed = intent.refs[0].ref
        if followed.startswith("refs/heads/") and read_head(repo.git, repo.git_dir) != followed:
            # Git has checked out another branch since, so the files must not be rolled back.
            notes = [f"{followed} is no longer checked out: files were left as they are"]
        else:
            notes = _take_back(repo, store, lock, intent, spared)
    if not moved:
        ref_transaction.restore_deleted_refs(repo, intent.refs, now, f"scalpel: take back {intent.what}")
    _remove_temporary_files(repo)
    journal.remove_journal(repo.scalpel_dir)
    return moved, notes


def _has_moved(repo: Repository, intent: Journal, now: dict[str, Oid]) -> bool:
    """Return True if a ref of the update has moved; git moves them one after the other."""
    if ref_transaction.has_begun([each for each in intent.refs if each.ref != OPS], now):
        return True
    entry = next((u.new for u in intent.refs if u.ref == OPS), None)
    # No other process can have made this entry, so the update is done if the log contains it.
    if entry is None or OPS not in now:
        return False
    return entry == now[OPS] or not repo.git.run("merge-base", "--is-ancestor", entry, now[OPS]).status


def _take_back(
    repo: Repository, store: Store, lock: Lock, intent: Journal, spared: Container[str]
) -> list[str]:
    git_dir, rows, token = repo.git_dir, intent.rows, intent.token
    git = repo.git.inheriting(lock)
    work = working_tree.open_working_tree(repo, store)
    staged = index.read_index_entries(git, [row.path for row in rows]) if rows else {}
    undone = [
        (row.path, row.index, row.flags)
        for row in rows
        if row.new != row.index and (staged[row.path].entry if row.path in staged else None) == row.new
    ]
    if checkout.is_as_before(work, rows, token) and not undone:
        return []  # the index lock, which may have caused the failure, is not needed either
    files = [row for row in rows if row.path not in spared]
    quarantine = repo.scalpel_dir / "quarantine" / token
    if all(row.new == row.index for row in rows):  # the update did not include the index
        return checkout.restore_files(work, files, store.read, token, quarantine)
    with index.hold_index_lock(git_dir, repo.scalpel_dir, token):
        notes = checkout.restore_files(work, files, store.read, token, quarantine)
        if undone:
            copy = repo.scalpel_dir / "index.new"
            time = index.write_edited_copy(repo, git, copy, undone)
            index.install_index(git_dir / "index", copy, {}, time)
    return notes


def _repository_of(repo: Repository, intent: Journal) -> Repository:
    """Return the repository as seen from the worktree of the interrupted landing."""
    git_dir = Path(os.path.normpath(repo.common_dir / intent.git_dir))
    if git_dir == repo.git_dir or not git_dir.is_dir():
        return msgspec.structs.replace(repo, git_dir=git_dir)
    if intent.work_tree is None:
        return repo.with_git_dir(git_dir, None)
    work_tree = Path(os.path.normpath(repo.common_dir / intent.work_tree))
    with suppress(FileNotFoundError):
        work_tree = linked_root(git_dir)  # the worktree may have been moved
    if not work_tree.is_dir():
        raise InputOutput(
            "io_error",
            f"{intent.what} was interrupted in the worktree {work_tree}, which is missing",
            "restore it, or run `git worktree prune`",
        )
    return repo.with_git_dir(git_dir, work_tree)


@contextmanager
def hold_lock(ws: Workspace, timeout: float = repo_lock.PATIENCE_S) -> Iterator[Lock]:
    """Hold the tool's lock, after any pending recovery.

    Raises:
        TryAgain: ``busy``.
        Interrupted: the caller has cancelled the request.
    """
    _require_not_in_gate(ws)
    with repo_lock.hold_lock(ws.repo.scalpel_dir, timeout) as held:
        ws.session.refuse_if_stopped()
        for words in recover(ws.repo, ws.store, held):
            ws.session.warn(words)
        yield held


def recover_pending(ws: Workspace) -> None:
    """Run a pending recovery, unless another process holds the lock: it has recovered itself, or is landing.

    Raises:
        BadCall: ``invalid_args``: the caller is a gate program.
    """
    _require_not_in_gate(ws)
    if not (is_pending(ws.repo) or ref_transaction.is_boot_check_due(ws.repo.scalpel_dir)):
        return
    with repo_lock.try_hold_lock(ws.repo.scalpel_dir / "lock") as held:
        for words in recover(ws.repo, ws.store, held) if held is not None else ():
            ws.session.warn(words)


def _require_not_in_gate(ws: Workspace) -> None:
    if ws.judges:
        raise BadCall(
            "invalid_args",
            "a gate must not change the repository while it runs",
            f"let the gate only check; to work by hand, cd to {ws.repo.work_tree or ws.repo.git_dir}",
        )
