"""The journal of a landing, and the bytes on disk that a movement replaced.

The journal is written before a landing changes anything, so that the next process can finish a killed one.
It is sealed: one that came with the repository is reported, and not followed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from gitscalpel.changesets.file_tree import Change, Entry, find_malformed_oid
from gitscalpel.errors import Damaged, NotAllowed
from gitscalpel.errors.messages import call
from gitscalpel.git.refs import RefUpdate
from gitscalpel.git.repository import Repository
from gitscalpel.system import private_files, serialization, trust
from gitscalpel.system.failpoint import step

_SEAL_SUBJECT = "journal"
_TOKEN = re.compile("[0-9a-f]{16}")
_GIT_DIR = re.compile(r"\.|worktrees/[^/]+")
_FLAGS = re.compile("[A-Za-z]")


class JournalRow(msgspec.Struct, frozen=True, kw_only=True):
    """One path: index and disk, before and after. None if there is no entry or file.

    Disk entries have the id of the raw bytes. These are stored, so either state can be restored.
    """

    path: str  # path relative to the root, with surrogate escapes for bytes that are not UTF-8
    index: Entry | None  # index entry before
    new: Entry | None  # index entry after
    before: Entry | None
    after: Entry | None
    flags: str = "H"  # flags of the index entry as in ``ls-files -v``

    @property
    def moves(self) -> bool:
        return self.before != self.after


class Journal(msgspec.Struct, frozen=True, kw_only=True):
    """One landing."""

    token: str  # random token that marks the temporary files and the index lock of this landing
    what: str  # description for users
    # Git directory of the worktree whose files follow, relative to the common git directory, since the
    # repository may be moved before the next landing.
    git_dir: str
    work_tree: str | None  # root of that worktree, also relative if possible. None if only refs move.
    refs: tuple[RefUpdate, ...]  # refs that move, the branch first
    rows: tuple[JournalRow, ...]


def journal_path(scalpel_dir: Path) -> Path:
    return scalpel_dir / "journal"


def write_journal(scalpel_dir: Path, journal: Journal) -> None:
    temporary, path = scalpel_dir / "journal.new", journal_path(scalpel_dir)
    content = trust.seal_content(
        scalpel_dir, _SEAL_SUBJECT, msgspec.json.encode(_convert_paths(journal, serialization.encode_path))
    )
    step()
    try:
        private_files.write(temporary, content, durable=True)
        step()
        temporary.rename(path)
        private_files.sync_path(scalpel_dir)
    except OSError:
        for name in (temporary, path):  # nothing was changed yet
            name.unlink(missing_ok=True)
        raise


def read_journal(scalpel_dir: Path) -> Journal | None:
    """Return the journal of an unfinished landing of this user. None if there is none.

    Raises ``untrusted`` if another user wrote it, or ``corrupt``.
    """
    path = journal_path(scalpel_dir)
    try:
        content = private_files.read(path)
    except FileNotFoundError:
        return None
    opened = trust.open_sealed(scalpel_dir, _SEAL_SUBJECT, content)
    if opened is None:
        raise NotAllowed(
            "untrusted",
            f"{path} records an interrupted landing that you did not make here",
            "it came with the repository, or your secret has changed; "
            f"if you trust it, run `{call('recover', take_over=str(path))}`",
            path=str(path),
        )
    return _decode(path, opened)


def read_foreign_journal(file: Path) -> Journal:
    """Return the journal in ``file`` without checking its writer, on the user's explicit request.

    Raises ``corrupt``, or ``FileNotFoundError``.
    """
    return _decode(file, trust.strip_seal(private_files.read(file)))


def _decode(path: Path, content: bytes) -> Journal:
    try:
        journal = _convert_paths(serialization.decode(content, Journal), serialization.decode_path)
        _require_valid(journal)
    except (msgspec.MsgspecError, ValueError) as error:
        raise Damaged(
            "corrupt",
            f"the journal {path} cannot be read: {error}",
            "check `git status` and `git log`, then move that file out of the repository",
            path=str(path),
        ) from None
    return journal


def _require_valid(journal: Journal) -> None:
    """Raise ``ValueError`` for values that no landing writes, or that lead out of the repository."""
    if not _TOKEN.fullmatch(journal.token):
        raise ValueError("its token is invalid")
    if not _GIT_DIR.fullmatch(journal.git_dir):
        raise ValueError(f"{journal.git_dir!r} is not a git directory of this repository")
    if not journal.refs:
        raise ValueError("it has no refs")
    for update in journal.refs:
        if not update.ref.startswith(("refs/heads/", "refs/scalpel/")) or ".." in update.ref:
            raise ValueError(f"{update.ref!r} is not a ref that a landing moves")
    oids = [oid for update in journal.refs for oid in (update.old, update.new)]
    for row in journal.rows:
        if not _is_safe_path(row.path) or not _FLAGS.fullmatch(row.flags):
            raise ValueError(f"{row.path!r} is not a path of this repository")
        oids += [entry.oid for entry in (row.index, row.new, row.before, row.after) if entry and entry.oid]
    invalid = find_malformed_oid(oids)
    if invalid is not None:
        raise ValueError(f"{invalid!r} is not an object id")


def _is_safe_path(path: str) -> bool:
    """Return True if the path stays inside the repository. Old trees may contain unsafe names."""
    return "\0" not in path and not any(part.lower() in ("", ".", "..", ".git") for part in path.split("/"))


def remove_journal(scalpel_dir: Path) -> None:
    step()
    journal_path(scalpel_dir).unlink(missing_ok=True)
    private_files.sync_path(scalpel_dir)


def _convert_paths(journal: Journal, spell: Callable[[str], str]) -> Journal:
    rows = tuple(msgspec.structs.replace(row, path=spell(row.path)) for row in journal.rows)
    work_tree = None if journal.work_tree is None else spell(journal.work_tree)
    refs = tuple(msgspec.structs.replace(update, ref=spell(update.ref)) for update in journal.refs)
    names = {"git_dir": spell(journal.git_dir), "work_tree": work_tree, "what": spell(journal.what)}
    return msgspec.structs.replace(journal, rows=rows, refs=refs, **names)


# Result for a file, see :class:`gitscalpel.transaction.branch_update.FileOutcome`.
FileFate = Literal["written", "removed", "merged", "restored", "kept", "left", "skipped"]


class DiskChange(msgspec.Struct, frozen=True):
    """Disk entries at one path, before and after. None if there is no file.

    ``path`` is encoded by :mod:`gitscalpel.system.serialization`.
    """

    path: str
    before: Entry | None
    after: Entry | None


class DiskRestore(msgspec.Struct, frozen=True):
    """One path that undo restores from ``disk``, as the movement left it, to ``goal``, as it was before.

    ``delta`` is the change to which this applies. Later work on the path makes it void.
    """

    delta: Change
    disk: Entry | None
    goal: Entry | None


def worktree_name(repo: Repository) -> str:
    """Return the relative git directory of the worktree, which survives a move of the repository."""
    return serialization.encode_path(os.path.relpath(repo.git_dir, repo.common_dir))


def make_disk_change(path: str, before: Entry | None, after: Entry | None) -> DiskChange:
    return DiskChange(serialization.encode_path(path), before, after)


def plan_restores(rows: Iterable[DiskChange], deltas: Sequence[Change]) -> Mapping[str, DiskRestore]:
    """Return by path how undo restores ``rows``, the disk changes of a movement that changed ``deltas``."""
    reversed_changes = {delta.path: Change(delta.path, delta.new, delta.old) for delta in deltas}
    named = ((serialization.decode_path(row.path), row) for row in rows)
    return {
        path: DiskRestore(reversed_changes[path], row.after, row.before)
        for path, row in named
        if path in reversed_changes
    }
