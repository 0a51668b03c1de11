"""What a worktree was left as for programs that judge: whoever touches a file of it since is found out.

Every change of a file moves its third time (ctime), which nobody can set back; git's index has it for each of
the tree's files. Programs may write over that index too, so the one that is asked is a copy, whose own times
are in the sealed record of the slot.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Sequence
from pathlib import Path

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git import index
from gitscalpel.git.pool.slot import Fresh, Left
from gitscalpel.git.run import Git, listing, paths
from gitscalpel.system import serialization

_COPY = "scalpel-index"
_RECENT = 2 * 10**9
"""Nanoseconds: most builds of git compare times by the second."""
_TICK = getattr(time, "CLOCK_REALTIME_COARSE", time.CLOCK_REALTIME)
"""The clock that the kernel takes a file's times from: it stands still for some milliseconds at a time."""


def now() -> int:
    """What the kernel would note as the time of a change, in nanoseconds."""
    return time.clock_gettime_ns(_TICK)


def stamp(status: os.stat_result) -> str:
    """Another one after every change."""
    return f"{status.st_ino} {status.st_mode} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"


def leave(git_dir: Path, tree: Oid, written: Sequence[str] | None, before: Left | None) -> Left:
    """Note that the files are those of ``tree``, and the index says so.

    Args:
        git_dir: of the worktree.
        tree: what it was brought to.
        written: the files that were written for that; None: any.
        before: how it was left before.
    """
    here, copy = git_dir / "index", git_dir / _COPY
    index.copied(here, copy)
    moment = copy.lstat().st_ctime_ns
    names = None if written is None else tuple(sorted({*map(serialization.spelt, written)}))
    fresh = [each for each in (before.fresh if before else ()) if moment - each.time < _RECENT]
    return Left(
        tree=tree,
        index=stamp(here.lstat()),
        copy=stamp(copy.lstat()),
        time=moment,
        fresh=(*fresh, Fresh(time=moment, names=names)),
    )


def wait(left: Left) -> None:
    """Wait until what is changed from now on has a later time than anything that is noted."""
    while left.time - _RECENT < now() <= left.time:  # who has set the clock back by more is not waited for
        time.sleep(0.0005)


def has_own_index(git_dir: Path, left: Left) -> bool:
    """Whether nobody has written over the index."""
    return _is(git_dir / "index", left.index)


def touched(git: Git, git_dir: Path, root: Path, left: Left, *, submodules: bool = False) -> list[str] | None:
    """The tree's files that somebody may have changed, with or without their bytes; None: nobody knows."""
    copy = git_dir / _COPY
    if not _is(copy, left.copy):
        return None
    how = ("--name-only", "-z", f"--ignore-submodules={'none' if submodules else 'all'}")
    found = paths(git("diff-files", *how, env={"GIT_INDEX_FILE": str(copy)}))
    fresh: set[str] = set()
    for each in left.fresh:  # git does not tell a time from another one of the same second
        fresh.update(_all(git, copy) if each.names is None else map(serialization.read, each.names))
    return [*found, *sorted({name for name in fresh if _is_later(root / name, left.time)}.difference(found))]


def put_back(git: Git, git_dir: Path, root: Path, left: Left, names: Sequence[str]) -> None:
    """Put back the index, and write the files ``names`` anew, whatever stands there."""
    if not has_own_index(git_dir, left):
        index.copied(git_dir / _COPY, git_dir / "index.new")
        (git_dir / "index.new").rename(git_dir / "index")
    for name in names:  # also what git would take for unchanged, and what says how files are written
        if _leads_to(root, name):
            (root / name).unlink(missing_ok=True)
    if names:
        git("checkout-index", "-f", "-u", "-z", "--stdin", stdin=listing(names))


def _all(git: Git, index: Path) -> list[str]:
    return paths(git("ls-files", "-z", env={"GIT_INDEX_FILE": str(index)}))


def _is_later(file: Path, moment: int) -> bool:
    try:
        status = file.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False  # git has said so
    return status.st_ctime_ns > moment and not stat.S_ISDIR(status.st_mode)  # that of a submodule


def _leads_to(root: Path, name: str) -> bool:
    """Whether a file, or a link, of that name stands below the root, behind no link."""
    above = os.path.realpath((root / name).parent)
    inside = above == os.path.join(os.path.realpath(root), os.path.dirname(name)).rstrip("/")  # noqa: PTH118, PTH120
    return inside and not os.path.isdir(root / name)  # noqa: PTH112


def _is(file: Path, noted: str) -> bool:
    try:
        return stamp(file.lstat()) == noted
    except FileNotFoundError:
        return False
