"""Lock files that a power cut left.

After a kill, notes say which locks were whose. They are not synced, since syncs cost more than all else of a
landing, so after a power cut they may be missing, and so may the end of a lock's life. But then no process
holds a lock any more that is older than the machine's start. Of those, the ones go that a call of ours may
have made: once after each start, by the first call that changes something.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from gitscalpel.errors import Damaged
from gitscalpel.git import reflocks
from gitscalpel.git.repository import Repository
from gitscalpel.system import boot_id, private_files
from gitscalpel.system.failpoint import step

_STAMP = "boot"
_OURS = "refs/scalpel"
_BESIDE = ("HEAD.lock", "packed-refs.lock")
"""Which a git of ours takes beside the refs that it moves or packs."""

_SLOT = "scalpel.lock"
"""Which the system holds for who works in a worktree of the pool."""
_BEGUN = (".lock", ".new")


def is_due(scalpel_dir: Path) -> bool:
    """Whether nobody has looked since the machine was started, or since a folder of ours is there."""
    stamp = b""
    with suppress(OSError, Damaged):
        stamp = private_files.read(scalpel_dir / _STAMP)
    return bool(boot_id.identity()) and stamp != boot_id.identity() and private_files.is_folder(scalpel_dir)


def release(repo: Repository, refs: Iterable[str]) -> list[Path]:
    """Remove the locks of ours that are older than the machine's start; the caller holds the tool's lock.

    Args:
        repo: in it, and in all of its worktrees.
        refs: those that a landing was about to move, beside our own.

    Returns:
        what was removed.
    """
    began, gone = boot_id.began(), []
    for file in {*_locks(repo), *(repo.common_dir / f"{ref}.lock" for ref in refs)}:
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            status = file.lstat()
            if stat.S_ISREG(status.st_mode) and status.st_mtime < began:
                step()
                reflocks.remove(file)
                gone.append(file)
    private_files.sync_names(gone)  # before the journal goes, which tells of them
    return sorted(gone)


def looked(scalpel_dir: Path) -> None:
    """Note that this has been done; and make sure that our folder itself will be there."""
    with suppress(OSError):
        private_files.write(scalpel_dir / _STAMP, boot_id.identity())
    private_files.sync(scalpel_dir.parent)


def _locks(repo: Repository) -> Iterator[Path]:
    from gitscalpel.git import index  # there is something to look for once in a start of the machine

    yield from _below(repo.common_dir / _OURS)
    # Who packs refs, or shortens their logs, locks each of them, and writes nothing into its lock.
    yield from filter(_holds_nothing, _below(repo.common_dir / "refs"))
    yield repo.common_dir / "gc.pid.lock"  # names a process, which is none by now
    for git_dir in (repo.common_dir, *private_files.entries(repo.common_dir / "worktrees")):
        yield from _below(git_dir / "logs")
        if (git_dir / _SLOT).exists():  # where all that is locked is ours
            yield from (file for file in git_dir.glob("*.*") if file.suffix in _BEGUN and file.name != _SLOT)
        yield from filter(_holds_nothing, (git_dir / name for name in _BESIDE))
        yield from [git_dir / "index.lock"] if index.is_marked(git_dir) else []


def _below(folder: Path) -> Iterator[Path]:
    for here, _, names in os.walk(folder):
        yield from (Path(here) / name for name in names if name.endswith(".lock"))


def _holds_nothing(file: Path) -> bool:
    with suppress(OSError):
        return not file.is_symlink() and not file.read_bytes().strip(b"\0")
    return False
