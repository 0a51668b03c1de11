"""What lies in a worktree in which programs judge, and is not the tree's: the next to judge must not see it.

What has made the worktree ready stays as long as all of it is as it was then, and so do caches that are
named; what is beside these goes. It is not asked what git ignores, since the tree that is judged says that.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from gitscalpel.git.pool import folders
from gitscalpel.git.pool.worktree import Worktree
from gitscalpel.system import seal
from gitscalpel.system.failpoint import step

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
        return blake2b(os.fsencode(f"{self.name}\0{what}"), digest_size=_SIZE).digest()


def sweep(place: Worktree, spared: Spared) -> None:
    """Remove what stands in folders of the tree since the last to judge, before any file is written.

    A ``.gitattributes`` of theirs would say how that is done.
    """
    how = place.state.left if place.state else None
    if how is None:
        return
    before = folders.noted(place)
    found = folders.look(place, how.tree, before)
    step()
    _remove_all(place, _entries(place, set(found.others).difference(before.others), spared))


def clear(place: Worktree, spared: Spared) -> None:
    """Remove what is left there; if what made it ready is not as it was, that as well, to be made anew."""
    there = _all(place, spared)
    known = _noted(place)
    stays = {entry.name for entry in there if known and entry.digest in known}
    if known is None or len(stays) < len(known):
        (place.repo.git_dir / _NOTE).unlink(missing_ok=True)
        place.set_up("")
        stays = set()
    step()
    _remove_all(place, [entry for entry in there if entry.name not in stays])


def note(place: Worktree, spared: Spared) -> None:
    """Note what is there now as what has made it ready."""
    step()
    found = [_setup(place), *(entry.digest for entry in _all(place, spared))]
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
    return blake2b(command.encode("utf-8", "surrogateescape"), digest_size=_SIZE).digest()


def _all(place: Worktree, spared: Spared) -> list[_Entry]:
    assert place.state is not None and place.state.tree is not None  # noqa: S101, PT018 - it has been brought
    found = folders.look(place, place.state.tree, folders.noted(place))
    folders.note(place, found)
    return _entries(place, found.others, spared)


def _entries(place: Worktree, roots: Iterable[str], spared: Spared) -> list[_Entry]:
    """What is not the tree's, folders before what is in them; not what is spared."""
    waiting, found = list(roots), []
    shared = place.shared
    while waiting:
        name = waiting.pop()
        path = place.root / name
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):  # leads anywhere, and is no cache
            if path.readlink() != shared.get(name):
                found.append(_Entry(name, status))
        elif not spared(f"{name}/" if stat.S_ISDIR(status.st_mode) else name):
            found.append(_Entry(name, status))
            if stat.S_ISDIR(status.st_mode):
                waiting += [f"{name}/{below.name}" for below in _within(path)]
    return found


def _within(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except PermissionError:  # a program may have closed what it has made
        folder.chmod(stat.S_IRWXU)
        return list(folder.iterdir())


def _remove_all(place: Worktree, entries: Sequence[_Entry]) -> None:
    for entry in reversed(entries):  # what is in a folder before the folder
        _remove(place.root / entry.name, entry.status)


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
