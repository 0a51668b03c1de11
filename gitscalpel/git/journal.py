"""The journal of a landing, and the bytes on disk that a movement replaced.

The journal is one file, replaced as a whole and synced before a landing changes anything. While it
exists, a landing is under way or was killed; the next process to get the lock therefore knows that it
was killed, and finishes it. The journal is sealed: one that came with the repository is reported, and
not followed.

A file on disk may contain what no commit does: changes on top, what a clean filter removes, other line
endings, or the new content while still untracked. Undoing the movement restores these bytes. The ref
``refs/scalpel/disk/<id>`` keeps them as long as undone commits are kept.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from gitscalpel.changesets.file_tree import Change, Entry
from gitscalpel.errors import Damaged, NotAllowed
from gitscalpel.errors.messages import call
from gitscalpel.git.refs import RefUpdate
from gitscalpel.git.repository import Repository
from gitscalpel.system import private_files, seal, serialization
from gitscalpel.system.failpoint import step

_ABOUT = "journal"
_TOKEN = re.compile("[0-9a-f]{16}")
_OID = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
_GIT_DIR = re.compile(r"\.|worktrees/[^/]+")
_FLAGS = re.compile("[A-Za-z]")


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One path: the index and the disk, before and after.

    Disk states are what the bytes as they are would be as a blob; those blobs
    are all stored, so either state can be put back.

    Attributes:
        path: relative to the root; bytes that are not UTF-8 as surrogate escapes.
        index: the index entry before; None: none.
        new: the index entry after.
        before: the disk before; None: nothing there.
        after: the disk after; the same as before: the file is left alone.
        flags: of the index entry, as ``ls-files -v`` shows them.
    """

    path: str
    index: Entry | None
    new: Entry | None
    before: Entry | None
    after: Entry | None
    flags: str = "H"

    @property
    def moves(self) -> bool:
        """Whether the file on the disk changes."""
        return self.before != self.after


class Journal(msgspec.Struct, frozen=True, kw_only=True):
    """One landing.

    Attributes:
        token: random; marks the temporary files and the index lock of this landing.
        what: for people.
        git_dir: of the worktree whose files follow, relative to the common git directory: the
            repository may be moved before the next landing.
        work_tree: its root, relative likewise where that makes sense; None: only refs move.
        refs: every ref that moves, the branch first.
        rows: every path that is touched.
    """

    token: str
    what: str
    git_dir: str
    work_tree: str | None
    refs: tuple[RefUpdate, ...]
    rows: tuple[Row, ...]


def path_of(scalpel_dir: Path) -> Path:
    """Where the journal lies."""
    return scalpel_dir / "journal"


def write(scalpel_dir: Path, journal: Journal) -> None:
    """Write the journal and make it durable."""
    temporary, path = scalpel_dir / "journal.new", path_of(scalpel_dir)
    content = seal.sealed(scalpel_dir, _ABOUT, msgspec.json.encode(_spelt(journal, serialization.spelt)))
    step()
    try:
        private_files.write(temporary, content, durable=True)
        step()
        temporary.rename(path)
        private_files.sync(scalpel_dir)
    except OSError:
        for name in (temporary, path):  # nothing has been done yet that would have to be finished
            name.unlink(missing_ok=True)
        raise


def read(scalpel_dir: Path) -> Journal | None:
    """The journal of a landing of this user's that did not end; None: there is none.

    Raises:
        NotAllowed: ``untrusted``: this user has not written it.
        Damaged: ``corrupt``.
    """
    path = path_of(scalpel_dir)
    try:
        content = private_files.read(path)
    except FileNotFoundError:
        return None
    opened = seal.opened(scalpel_dir, _ABOUT, content)
    if opened is None:
        raise NotAllowed(
            "untrusted",
            f"{path} says that a landing was interrupted, and was not written by you here",
            "it came along with the repository, or your secret is another one than it was; "
            f"if you know that it is right: {call('recover', take_over=str(path))}",
            path=str(path),
        )
    return _decoded(path, opened)


def taken_over(file: Path) -> Journal:
    """The journal in ``file``, whoever has written it: for a user who asks for just that.

    Raises:
        Damaged: ``corrupt``; FileNotFoundError.
    """
    return _decoded(file, seal.bare(private_files.read(file)))


def _decoded(path: Path, content: bytes) -> Journal:
    try:
        found = _spelt(serialization.decode(content, Journal), serialization.read)
        _refuse_odd(found)
    except (msgspec.MsgspecError, ValueError) as error:
        raise Damaged(
            "corrupt",
            f"the journal {path} cannot be read: {error}",
            "look at `git status` and `git log`, then move that file away",
            path=str(path),
        ) from None
    return found


def _refuse_odd(found: Journal) -> None:
    """Refuse what no landing writes, and what would lead out of the repository. Raises ``ValueError``."""
    if not _TOKEN.fullmatch(found.token):
        raise ValueError("its token is none")
    if not _GIT_DIR.fullmatch(found.git_dir):
        raise ValueError(f"{found.git_dir!r} is not a git directory of this repository")
    if not found.refs:
        raise ValueError("it moves no ref")
    for update in found.refs:
        if not update.ref.startswith(("refs/heads/", "refs/scalpel/")) or ".." in update.ref:
            raise ValueError(f"{update.ref!r} is not a ref that a landing moves")
    named = [oid for update in found.refs for oid in (update.old, update.new)]
    for row in found.rows:
        if not _is_plain(row.path) or not _FLAGS.fullmatch(row.flags):
            raise ValueError(f"{row.path!r} is not a path of this repository")
        named += [entry.oid for entry in (row.index, row.new, row.before, row.after) if entry and entry.oid]
    odd = next((oid for oid in named if oid is not None and not _OID.fullmatch(oid)), None)
    if odd is not None:
        raise ValueError(f"{odd!r} is not an object id")


def _is_plain(path: str) -> bool:
    """Whether it stays inside; a tree of old may hold names that no edit of ours would make."""
    return "\0" not in path and not any(part.lower() in ("", ".", "..", ".git") for part in path.split("/"))


def clear(scalpel_dir: Path) -> None:
    """Forget the journal: nothing is left to finish."""
    step()
    path_of(scalpel_dir).unlink(missing_ok=True)
    private_files.sync(scalpel_dir)


def _spelt(journal: Journal, spell: Callable[[str], str]) -> Journal:
    rows = tuple(msgspec.structs.replace(row, path=spell(row.path)) for row in journal.rows)
    work_tree = None if journal.work_tree is None else spell(journal.work_tree)
    refs = tuple(msgspec.structs.replace(update, ref=spell(update.ref)) for update in journal.refs)
    names = {"git_dir": spell(journal.git_dir), "work_tree": work_tree, "what": spell(journal.what)}
    return msgspec.structs.replace(journal, rows=rows, refs=refs, **names)


FileFate = Literal["written", "removed", "merged", "restored", "kept", "left", "skipped"]
"""What became of a file, see :class:`gitscalpel.transaction.branch_update.FileOutcome`."""


class DiskChange(msgspec.Struct, frozen=True):
    """The disk at one path: ids of the bytes as they were and are; None: nothing was there, or is.

    ``path`` is spelt as :mod:`gitscalpel.system.serialization` does.
    """

    path: str
    before: Entry | None
    after: Entry | None


class DiskRestore(msgspec.Struct, frozen=True):
    """One path on the way back.

    Attributes:
        delta: it holds for this change alone, not where later work is in between.
        disk: what the movement had left on the disk.
        goal: what had been there.
    """

    delta: Change
    disk: Entry | None
    goal: Entry | None


def worktree_name(repo: Repository) -> str:
    """The worktree whose disk is meant, by its git directory; the repository may be moved."""
    return serialization.spelt(os.path.relpath(repo.git_dir, repo.common_dir))


def disk_change(path: str, before: Entry | None, after: Entry | None) -> DiskChange:
    """What the record of a movement says of one path."""
    return DiskChange(serialization.spelt(path), before, after)


def plan_restores(rows: Iterable[DiskChange], deltas: Sequence[Change]) -> Mapping[str, DiskRestore]:
    """How to take back what ``rows`` say of a movement that changed ``deltas``, by path."""
    turned = {delta.path: Change(delta.path, delta.new, delta.old) for delta in deltas}
    named = ((serialization.read(row.path), row) for row in rows)
    return {path: DiskRestore(turned[path], row.after, row.before) for path, row in named if path in turned}
