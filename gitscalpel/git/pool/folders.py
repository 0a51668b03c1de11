"""What lies in a tree's folders and is not the tree's; a folder that nobody has touched is not read again.

A name that comes, goes or stands for something else moves the times of its folder, and the third of them
nobody can set back. What is noted of each folder is sealed, else what a gate leaves could pass for it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

import msgspec

from gitscalpel.changesets.file_tree import SUBMODULE, TREE, Change, Oid
from gitscalpel.git.pool import left
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.git.snapshot import TreeSnapshot
from gitscalpel.system import seal, serialization

_NOTE = "scalpel-folders"


class Row(msgspec.Struct, frozen=True, array_like=True):
    """A folder: its stamp (empty: it has to be read), its mode, the names in it that are not the tree's."""

    stamp: str
    mode: int
    others: tuple[str, ...]


class Folders(msgspec.Struct, frozen=True):
    """The folders of a tree, by the bytes of their paths; that of the root is empty."""

    tree: Oid
    rows: dict[str, Row]

    @property
    def others(self) -> Iterator[str]:
        """The outermost paths of what is not the tree's."""
        for folder, row in self.rows.items():
            for name in row.others:
                yield serialization.read(f"{folder}/{name}" if folder else name)


def noted(place: Worktree) -> Folders:
    """What is noted; nothing, where there is nothing that this user has noted."""
    content = seal.kept(place.repo.git_dir / _NOTE, place.repo.scalpel_dir, _about(place))
    return Folders(Oid(""), {}) if content is None else serialization.decode(content, Folders)


def note(place: Worktree, found: Folders) -> None:
    """Note what was found."""
    content = msgspec.json.encode(found)
    seal.keep(place.repo.git_dir / _NOTE, place.repo.scalpel_dir, _about(place), content)


def look(place: Worktree, tree: Oid, before: Folders) -> Folders:
    """The folders of ``tree`` as they are now; one that somebody has opened or closed is as before again."""
    snapshot = TreeSnapshot(place.store, place.repo.git, tree)
    moved = set(_above(place.store.difference(before.tree or None, tree)))
    rows: dict[str, Row] = {}
    for folder in sorted(before.rows.keys() | moved):
        row = before.rows.get(folder)
        path, began = place.root / serialization.read(folder), left.now()
        try:
            status = path.lstat()
            if row and folder not in moved and row.stamp == left.stamp(status):
                rows[folder] = row
                continue
            entry = snapshot.entry(serialization.read(folder))
            if entry is None or entry.mode not in (TREE, SUBMODULE) or not stat.S_ISDIR(status.st_mode):
                continue
            mode = row.mode if row else stat.S_IMODE(status.st_mode)
            if stat.S_IMODE(status.st_mode) != mode:
                path.chmod(mode)
            known = place.store.tree(entry.oid).keys() if entry.mode == TREE else ()
            others = tuple(sorted(map(serialization.spelt, _names(path, folder).difference(known))))
        except (FileNotFoundError, NotADirectoryError):
            continue  # a program has taken it away, and whoever brings the tree's files will make it
        # What changes in the moment in which it is read may have the same time.
        rows[folder] = Row(left.stamp(status) if status.st_ctime_ns < began else "", mode, others)
    return Folders(tree, rows)


def _names(path: Path, folder: str) -> set[str]:
    with os.scandir(path) as found:
        return {each.name for each in found} - ({".git"} if not folder else set())


def _above(changes: Iterable[Change]) -> Iterator[str]:
    """The folders in which a change of the tree adds or removes names, or may."""
    for path, *entries in changes:
        if any(entry is not None and entry.mode == SUBMODULE for entry in entries):
            yield serialization.spelt(path)
        for folder in PurePosixPath(path).parents:
            yield serialization.spelt("" if str(folder) == "." else str(folder))


def _about(place: Worktree) -> str:
    return f"folders {place.repo.git_dir.name}"
