"""Makes a worktree's record in one step; ``git worktree add --detach --no-checkout`` does it file by file.

Git syncs none of these files: after a power cut one of them may be empty, and then every git in the
repository fails, since each reads the records of all worktrees. Where anything is unusual, git makes it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git.repository import Repository
from gitscalpel.git.scratch import Scratch
from gitscalpel.system import private_files, shared_repository
from gitscalpel.system.failpoint import step

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
"""Of a record; git changes what could be no part of a ref."""
_UNUSUAL = (
    "extensions.worktreeconfig",
    "extensions.refstorage",
    "extensions.relativeworktrees",
    "worktree.userelativepaths",
)
_FOLDER = "linked"


def link(repo: Repository, root: Path, commit: Oid, notes: Scratch) -> bool:
    """Make a worktree without files, whose head is ``commit``; False: git has to.

    Args:
        repo: whose.
        root: its folder, which is not there yet.
        commit: its head.
        notes: where the record is put together, on the same disk.
    """
    if any(repo.config.get(key) for key in _UNUSUAL) or not _NAME.fullmatch(root.name):
        return False
    records = repo.common_dir / "worktrees"
    shared_repository.make_folder(records)
    if not private_files.is_folder(records):
        return False
    record = _free(records, root.name)
    begun = notes.path / _FOLDER
    begun.mkdir()
    for name, content in _files(root, commit):
        private_files.write(begun / name, content, durable=True)
        shared_repository.adjust(begun / name)
    shared_repository.adjust(begun)
    private_files.sync(begun)
    step()
    root.mkdir()
    private_files.write(root / ".git", b"gitdir: " + os.fsencode(record) + b"\n", durable=True)
    for folder in (root, root.parent):
        private_files.sync(folder)
    step()
    begun.rename(record)
    for folder in (records, repo.common_dir):
        private_files.sync(folder)
    return True


def _files(root: Path, commit: Oid) -> tuple[tuple[str, bytes], ...]:
    """See gitrepository-layout(5)."""
    return (
        ("HEAD", commit.encode("ascii") + b"\n"),
        ("commondir", b"../..\n"),
        ("gitdir", os.fsencode(root / ".git") + b"\n"),
    )


def _free(records: Path, name: str) -> Path:
    """A name that no record has: the folder's own, with a number behind it if need be."""
    number = 0
    while os.path.lexists(records / f"{name}{number or ''}"):
        number += 1
    return records / f"{name}{number or ''}"
