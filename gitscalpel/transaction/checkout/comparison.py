"""Compares two recorded states of the checkout, of which the second is what the disk contains now.

A file that only began or stopped to be ignored, or to be left out by a sparse checkout, has not changed. A
file that the first state does not contain is new only if that state knows that it was absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from gitscalpel.changesets.answers import quoted
from gitscalpel.changesets.file_tree import SUBMODULE, Change, Entry, Oid
from gitscalpel.git import index, working_tree
from gitscalpel.git.working_tree_capture import ExcludedFiles, Presence
from gitscalpel.workspace import Workspace

_SKIPPED = "S"


class Differences(NamedTuple):
    """Differences between two states.

    Attributes:
        changes: of files that both states know of.
        left: changes that no step contains, in words.
    """

    changes: list[Change]
    left: tuple[str, ...] = ()


def compare(ws: Workspace, before: Oid | None, known: ExcludedFiles, after: Oid) -> Differences:
    """Compare two trees of the checkout.

    Args:
        ws: the workspace.
        before: the tree of the earlier state.
        known: the files that existed then, and that this tree does not contain.
        after: the tree of the disk as it is now.
    """
    found = ws.store.difference(before, after)
    inner = frozenset(f"{change.path}/" for change in found if _is_repository(change.old))
    existed = ExcludedFiles(known.files | inner)
    missing = _Missing(ws, [change for change in found if change.new is None])
    changes: list[Change] = []
    left: list[str] = []
    for each in found:
        change = Change(each.path, *map(_file, (each.old, each.new)))
        if change != each:
            left.append(_repository_change(ws, each))
        if change.old == change.new or (change.old is None and existed.covers(change.path)):
            continue
        if change.new is None and missing.has(change):
            left += missing.words(change)
        else:
            changes.append(change)
    return Differences(changes, tuple(left))


def split_restore(
    ws: Workspace, found: Sequence[Change], known: ExcludedFiles, *, is_named: bool
) -> tuple[list[Change], tuple[str, ...]]:
    """Split the way to an earlier state into changes of files, and what stays as it is, in words.

    Args:
        ws: the workspace.
        found: the changes from the tree of the disk to the tree of the earlier state.
        known: the files that existed then, and that its tree does not contain.
        is_named: whether the caller has named files; these are also written outside of a sparse checkout.
    """
    inner = frozenset(f"{change.path}/" for change in found if _is_repository(change.new))
    existed = ExcludedFiles(known.files | inner)
    absent = [] if is_named else [change.path for change in found if change.old is None]
    sparse = dict(_sparse(ws, absent))
    changes: list[Change] = []
    left: list[str] = []
    for change in found:
        if _is_repository(change.old) or _is_repository(change.new):
            left.append(_repository_left(change))
        elif change.new is None:
            changes += [] if existed.covers(change.path) else [change]
        elif sparse.get(change.path) != change.new:
            changes.append(change)
    return changes, tuple(left)


def _repository_left(change: Change) -> str:
    """Return in words that a nested repository is not restored."""
    name = quoted(change.path)
    if _is_repository(change.old):
        return f"{name} is a repository of its own: it stays as it is"
    return f"{name} was a repository of its own, which a snapshot does not contain: it is not restored"


def _is_repository(entry: Entry | None) -> bool:
    return entry is not None and entry.mode == SUBMODULE


def _file(entry: Entry | None) -> Entry | None:
    """Return the entry unless it is a repository, of which git holds no files."""
    return None if _is_repository(entry) else entry


def _repository_change(ws: Workspace, change: Change) -> str:
    """Return the change of a nested repository in words; git holds nothing of it but the commit."""
    path, old, new = change
    name, here = quoted(path), Path(str(ws.repo.work_tree), path)
    if old is not None and new is not None and old.mode == new.mode:
        moved = f"{old.oid[:12]} to {new.oid[:12]}"
        return f"{name} is a repository of its own, and its commit has changed from {moved}: undo leaves it"
    if _is_repository(new):
        return f"{name} has become a repository of its own: undo leaves it"
    became = "has been removed"
    if new is not None:
        became = "is a file now"
    elif here.is_dir() and not here.is_symlink():
        became = "is a folder without a repository now"
    return f"{name} was a repository of its own and {became}: what it contained cannot be recovered here"


class _Missing:
    """Files that the second state does not contain, although they may exist."""

    def __init__(self, ws: Workspace, gone: Sequence[Change]) -> None:
        self._ws, self._work = ws, working_tree.files_of(ws.repo, ws.store)
        self._disk = Presence(self._work.root)
        absent = [change.path for change in gone if not self._disk.may_have_file(change.path)]
        self._sparse = dict(_sparse(ws, absent))

    def has(self, change: Change) -> bool:
        """Return True if the file exists, may exist, or is left out by a sparse checkout."""
        return self._disk.may_have_file(change.path) or self._sparse.get(change.path) == change.old

    def words(self, change: Change) -> Iterable[str]:
        """Return what is to be said of the file: it may have changed since it is no longer read."""
        path, old, _ = change
        if self._sparse.get(path) == old:
            return
        try:
            is_same = self._work.same(self._work.state(path), old)
        except OSError:
            yield f"{quoted(path)} cannot be read any more: undo leaves it"
            return
        if not is_same:
            yield f"{quoted(path)} has changed, and git does not see it any more: undo leaves it"


def _sparse(ws: Workspace, absent: Sequence[str]) -> Iterator[tuple[str, Entry]]:
    """Find the files that the user's index contains and that git does not write to the disk."""
    if absent:
        for path, staged in index.entries(ws.repo.git, absent).items():
            if staged.flags.upper() == _SKIPPED:
                yield path, staged.entry
