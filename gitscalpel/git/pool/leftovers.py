"""What lies in a worktree in which programs judge, and is not the tree's: the next to judge must not see it.

What has made the worktree ready stays as long as all of it is as it was then, and so do caches that are
named; what is beside these goes. It is not asked what git ignores, since the tree that is judged says that.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from gitscalpel import seal
from gitscalpel.failpoint import step
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.snapshot import SUBMODULE

_NOTE = "scalpel-furnished"
"""Digests of what has made the worktree ready, sealed: else what a gate leaves could pass for it."""
_SIZE = 16
Spared = Callable[[str], bool]
"""Whether a path, with a slash behind that of a folder, is a cache that stays."""


class _Entry(NamedTuple):
    name: str
    status: os.stat_result

    @property
    def digest(self) -> bytes:
        """Of what it is; of a folder only that it is there, since what is in it has entries of its own."""
        now = self.status
        what: tuple[int, ...] = (now.st_mode,)
        if not stat.S_ISDIR(now.st_mode):
            # Nobody can set the third time; but where a store has links to a file, it is not only ours.
            changed = now.st_ctime_ns if now.st_nlink == 1 else 0
            what = (*what, now.st_size, now.st_ino, now.st_mtime_ns, changed)
        return hashlib.blake2b(os.fsencode(f"{self.name}\0{what}"), digest_size=_SIZE).digest()


def clear(place: Worktree, spared: Spared) -> None:
    """Remove what is left there; if what made it ready is not as it was, that as well, to be made anew."""
    there = list(_entries(place, spared))
    known = _noted(place)
    stays = {entry.name for entry in there if known and entry.digest in known}
    if known is None or len(stays) < len(known):
        (place.repo.git_dir / _NOTE).unlink(missing_ok=True)
        place.set_up("")
        stays = set()
    step()
    for entry in reversed(there):  # what is in a folder before the folder
        if entry.name not in stays:
            _remove(place.root / entry.name, entry.status)


def note(place: Worktree, spared: Spared) -> None:
    """Note what is there now as what has made it ready."""
    step()
    found = [_setup(place), *(entry.digest for entry in _entries(place, spared))]
    seal.keep(place.repo.git_dir / _NOTE, place.repo.scalpel_dir, _about(place), b"".join(found))


def _noted(place: Worktree) -> set[bytes] | None:
    """What its setup has left there, by digests; None where it has none, or that is not known."""
    noted = seal.kept(place.repo.git_dir / _NOTE, place.repo.scalpel_dir, _about(place)) or b""
    digests = [noted[at : at + _SIZE] for at in range(0, len(noted), _SIZE)]
    is_its = place.state is not None and place.state.setup and digests[:1] == [_setup(place)]
    return set(digests[1:]) if is_its else None


def _about(place: Worktree) -> str:
    return f"furnished {place.repo.git_dir.name}"


def _setup(place: Worktree) -> bytes:
    command = place.state.setup if place.state else ""
    return hashlib.blake2b(command.encode("utf-8", "surrogateescape"), digest_size=_SIZE).digest()


def _entries(place: Worktree, spared: Spared) -> Iterator[_Entry]:
    """What is not the tree's, folders before what is in them; not what is spared."""
    waiting = list(_roots(place))
    shared = place.shared
    while waiting:
        name = waiting.pop()
        path = place.root / name
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):  # leads anywhere, and is no cache
            if path.readlink() != shared.get(name):
                yield _Entry(name, status)
        elif not spared(f"{name}/" if stat.S_ISDIR(status.st_mode) else name):
            yield _Entry(name, status)
            if stat.S_ISDIR(status.st_mode):
                waiting += [f"{name}/{below.name}" for below in _within(path)]


def _roots(place: Worktree) -> Iterator[str]:
    """The outermost of it. Git says nothing of what is in the folder of a submodule."""
    for name in place.repo.git("ls-files", "-z", "--others", "--directory").split(b"\0")[:-1]:
        yield os.fsdecode(name).rstrip("/")
    for row in place.repo.git("ls-files", "-z", "--stage").split(b"\0"):
        if row.startswith(SUBMODULE.encode()):
            link = os.fsdecode(row.partition(b"\t")[2])
            folder = place.root / link
            if folder.is_dir() and not folder.is_symlink():
                yield from (f"{link}/{below.name}" for below in _within(folder))


def _within(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except PermissionError:  # a program may have closed what it has made
        folder.chmod(stat.S_IRWXU)
        return list(folder.iterdir())


def _remove(path: Path, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        with suppress(OSError):  # what is spared may lie in it
            path.rmdir()
        return
    try:
        path.unlink(missing_ok=True)
    except PermissionError:
        path.parent.chmod(stat.S_IRWXU)
        path.unlink(missing_ok=True)
