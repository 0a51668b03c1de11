"""Three-way merges by git: of one file, and of whole trees in memory.

``git merge-tree`` finds the base of two commits itself (``--merge-base`` came with git 2.40), so each tree is
wrapped into a commit whose ancestry defines the base.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, Entry, Oid
from gitscalpel.git import commits, process, scratch
from gitscalpel.git.object_store import Store
from gitscalpel.git.process import Git, git_error
from gitscalpel.git.repository import Repository

_MARKER = 41  # length of conflict markers, longer than any that a file is likely to contain


class Overlap(msgspec.Struct, frozen=True):
    """A failed merge, with the overlapping line ranges of the first file. Empty for a binary file."""

    lines: tuple[tuple[int, int], ...]


def merge_file(git: Git, scalpel_dir: Path, ours: bytes, base: bytes, theirs: bytes) -> bytes | Overlap:
    if ours == base:
        return theirs
    if theirs == base:
        return ours
    with scratch.make_scratch(scalpel_dir) as temporary:
        files = [temporary.path / name for name in ("ours", "base", "theirs")]
        for file, content in zip(files, (ours, base, theirs), strict=True):
            file.write_bytes(content)
        result = git.inheriting(temporary.lock).run(
            *("-c", "merge.conflictStyle=merge", "merge-file", "-p", f"--marker-size={_MARKER}"),
            *map(str, files),
        )
    if result.status == 0:
        return result.out
    if result.status < 128:
        return Overlap(tuple(_find_overlaps(result.out)))
    if "binary" in result.err:
        return Overlap(())
    raise git_error("merge-file", result.status, result.err)


def _find_overlaps(merged: bytes) -> list[tuple[int, int]]:
    overlaps: list[tuple[int, int]] = []
    number, start, theirs = 1, 0, False
    for line in merged.split(b"\n"):
        if line.startswith(b"<" * _MARKER):
            start = number
        elif line.startswith(b"=" * _MARKER):
            overlaps.append((start, max(start, number - 1)))
            theirs = True
        elif line.startswith(b">" * _MARKER):
            theirs = False
        elif not theirs:
            number += 1
    return overlaps


# Messages of git about a path with only a content conflict.
_CONTENT = ("Auto-merging", "CONFLICT (contents)")


# Entries of base, ours and theirs. None if the file does not exist there.
Stages = tuple[Entry | None, Entry | None, Entry | None]


class ConflictedPath(NamedTuple):
    """A path in conflict. ``content`` is True if all entries are regular files and only text conflicts."""

    path: str
    stages: Stages
    content: bool


class MergedTrees(NamedTuple):
    """The merged tree and the paths in conflict. With conflicts, the tree contains conflict markers."""

    tree: Oid
    conflicts: tuple[ConflictedPath, ...]


def merge_trees(repo: Repository, store: Store, base: Oid, ours: Oid, theirs: Oid) -> MergedTrees:
    root = store.write_raw_commit(commits.serialize_commit(base, [], "base"))
    sides = [
        store.write_raw_commit(commits.serialize_commit(tree, [root], "side")) for tree in (ours, theirs)
    ]
    result = repo.git.run("merge-tree", "--write-tree", "-z", *sides)
    if result.status not in (0, 1):
        process.require_version_after(repo.git, result.status)
        raise git_error("merge-tree", result.status, result.err)
    tree, *rest = result.out.split(b"\0")
    conflicts = tuple(_iter_conflicts(iter(rest))) if result.status else ()
    return MergedTrees(Oid(tree.decode("ascii").strip()), conflicts)


def _iter_conflicts(fields: Iterator[bytes]) -> Iterator[ConflictedPath]:
    """Yield the conflicts from the output of ``merge-tree -z``.

    It has rows ``mode oid stage TAB path``, an empty row, then messages.
    """
    stages: dict[str, list[Entry | None]] = {}
    for row in iter(lambda: next(fields, b""), b""):
        meta, _, name = row.partition(b"\t")
        mode, oid, stage = meta.decode("ascii").split(" ")
        stages.setdefault(os.fsdecode(name), [None] * 3)[int(stage) - 1] = Entry(mode, Oid(oid))
    structural = set(_iter_structural_conflicts(fields))
    for path, (base, ours, theirs) in stages.items():
        files = all(entry and entry.mode in (REGULAR, EXECUTABLE) for entry in (base, ours, theirs))
        yield ConflictedPath(path, (base, ours, theirs), files and path not in structural)


def _iter_structural_conflicts(fields: Iterator[bytes]) -> Iterator[str]:
    """Yield the paths with another conflict than content.

    A message consists of a count, that many paths, a type and a text.
    """
    for count in fields:
        if not count.strip():
            return
        paths = [os.fsdecode(next(fields)) for _ in range(int(count))]
        kind = os.fsdecode(next(fields))
        next(fields)
        if kind not in _CONTENT:
            yield from paths
