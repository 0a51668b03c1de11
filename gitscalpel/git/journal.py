"""What a landing is about to do, on the disk before it does it, so that a killed one can be finished.

One file, replaced as a whole and synced. While it is there, a landing is under
way or has been killed; whoever holds the lock next can tell which by being next.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec

from gitscalpel import sharing, wire
from gitscalpel.errors import Damaged
from gitscalpel.failpoint import step
from gitscalpel.git.loose import fsync
from gitscalpel.git.refs import RefUpdate
from gitscalpel.snapshot import Entry


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
    step()
    try:
        with temporary.open("wb") as file:
            file.write(msgspec.json.encode(_spelt(journal, wire.spelt)))
            file.flush()
            os.fsync(file.fileno())
        sharing.adjust(temporary)
        step()
        temporary.rename(path)
        fsync(scalpel_dir)
    except OSError:
        for name in (temporary, path):  # nothing has been done yet that would have to be finished
            name.unlink(missing_ok=True)
        raise


def read(scalpel_dir: Path) -> Journal | None:
    """The journal of a landing that did not end; None: there is none.

    Raises:
        Damaged: ``corrupt``.
    """
    try:
        content = path_of(scalpel_dir).read_bytes()
    except FileNotFoundError:
        return None
    try:
        found = msgspec.json.decode(content, type=Journal)
        if not found.refs:
            raise msgspec.ValidationError("it moves no ref")
        return _spelt(found, wire.read)
    except msgspec.MsgspecError as error:
        raise Damaged(
            "corrupt",
            f"the journal {path_of(scalpel_dir)} cannot be read: {error}",
            "look at `git status` and `git log`, then move that file away",
        ) from None


def clear(scalpel_dir: Path) -> None:
    """Forget the journal: nothing is left to finish."""
    step()
    path_of(scalpel_dir).unlink(missing_ok=True)
    fsync(scalpel_dir)


def _spelt(journal: Journal, spell: Callable[[str], str]) -> Journal:
    rows = tuple(msgspec.structs.replace(row, path=spell(row.path)) for row in journal.rows)
    work_tree = None if journal.work_tree is None else spell(journal.work_tree)
    return msgspec.structs.replace(journal, rows=rows, git_dir=spell(journal.git_dir), work_tree=work_tree)
