"""Sandbox of one program, from its creation to the changes it leaves, and a limit on its disk use.

Programs in a sandbox are stopped before they fill the disk.
"""

from __future__ import annotations

import json
import os
import select
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from gitscalpel.gates.sandbox import bubblewrap, git_dir, overlay, readable_paths
from gitscalpel.gates.sandbox.bubblewrap import Mount, ordered
from gitscalpel.gates.sandbox.capabilities import Machine
from gitscalpel.gates.sandbox.resource_limits import Limits
from gitscalpel.git.repository import Repository
from gitscalpel.system import private_files
from gitscalpel.system.processes import Stop

_GONE = 10.0
"""Seconds to wait for the last of its processes, which the kernel has been told to end."""


class Inside(NamedTuple):
    """What a program finds.

    Attributes:
        repo: the repository, seen from its worktree.
        root: of the worktree, in which it runs.
        env: all of its variables.
        network: it has the machine's.
        limits: what it may take.
        mounts: places of which it sees something, beside git's folder and the worktree.
        hidden: places of which it sees nothing else.
        caches: names of folders of the worktree that are for whoever comes next as well.
    """

    repo: Repository
    root: Path
    env: Mapping[str, str]
    network: bool
    limits: Limits
    mounts: tuple[Mount, ...]
    hidden: tuple[Path, ...]
    caches: tuple[str, ...]


class Cell:
    """A sandbox for one program; see :class:`gitscalpel.system.processes.Enclosure`.

    Args:
        machine: what it is made with.
        inside: what is found in it.
        folder: an empty folder for what is its own.
        groups: of control, that it joins.
        stack: closes what it opens.
    """

    def __init__(
        self, machine: Machine, inside: Inside, folder: Path, groups: Sequence[Path], stack: ExitStack
    ) -> None:
        self._machine, self._inside, self._folder, self._groups = machine, inside, folder, groups
        self.git = folder / "git"
        self._pipe: tuple[int, int] | None = None
        stack.callback(self.ended)
        self._filter = _file(bubblewrap.program(), stack)
        self._layers = overlay.Layers(inside.root, folder / "above", copied=not machine.unshare)
        self._mounts = list(git_dir.make(inside.repo, self.git))

    @property
    def env(self) -> Mapping[str, str]:
        """All of its variables."""
        return self._inside.env

    @property
    def fds(self) -> tuple[int, ...]:
        """Descriptors that bubblewrap needs; it hands them to nobody."""
        told = self._pipe[1] if self._pipe else None
        return tuple(fd for fd in (told, self._filter) if fd is not None)

    def words(self, program: Sequence[str]) -> list[str]:
        """The command line that starts a program in it."""
        inside, machine = self._inside, self._machine
        self._pipe = os.pipe()
        if self._filter is not None:
            os.lseek(self._filter, 0, os.SEEK_SET)
        limited = bubblewrap.limited(inside.limits.script, program)
        line = bubblewrap.words(
            machine.bwrap,
            self._all_mounts(),
            network=inside.network,
            memory=inside.limits.memory // 4,
            told=self._pipe[1],
            filtered=self._filter,
            folder=inside.root,
            program=limited,
        )
        if machine.unshare:
            line = bubblewrap.laid_over(machine.unshare, self._folder, line)
        return bubblewrap.joining(self._groups, line)

    def ended(self) -> None:
        """Wait until nothing lives in it."""
        if self._pipe is None:
            return
        (reading, writing), self._pipe = self._pipe, None
        os.close(writing)
        said = os.read(reading, 1 << 16)
        os.close(reading)
        with suppress(ValueError, KeyError, ProcessLookupError):
            _wait(json.loads(said)["child-pid"])

    @property
    def seen(self) -> Repository:
        """The repository as seen from it: the worktree's git directory is its own."""
        repo = self._inside.repo
        return msgspec.structs.replace(repo, git_dir=git_dir.own(repo, self.git))

    def is_sound(self) -> bool:
        """Whether what the program has left in git's folder can be read."""
        return git_dir.is_sound(self._inside.repo, self.git)

    def hand_over(self) -> None:
        """Leave what the program has put into caches to whoever comes next."""
        for name in self._inside.caches:
            overlay.hand_over(self._layers.above / name, self._inside.root / name)

    def changed(self, tracked: Callable[[str], bool]) -> list[str]:
        """The tracked files that the program has changed."""
        return self._layers.changed(tracked)

    def _all_mounts(self) -> list[Mount]:
        inside = self._inside
        home = Path(inside.env["HOME"])
        shown = [
            *readable_paths.system(),
            *(Mount(place, "hidden") for place in inside.hidden),
            *(Mount(place, "empty") for place in dict.fromkeys((Path("/tmp"), home))),  # noqa: S108
            Mount(Path("/var/tmp"), "link", Path("/tmp")),  # noqa: S108
            *inside.mounts,
            *self._mounts,
            Mount(inside.root, "own", self._folder / ("above" if self._layers.copied else "merged")),
        ]
        kept = (inside.root / name for name in inside.caches)
        return ordered(
            [*shown, *(Mount(path, "own", path) for path in kept if private_files.is_folder(path))]
        )


def _wait(number: int) -> None:
    """Wait for the end of a sandbox's first process, which is that of all others."""
    first = os.pidfd_open(number)
    try:
        waiting = select.poll()
        waiting.register(first, select.POLLIN)
        waiting.poll(int(_GONE * 1000))
    finally:
        os.close(first)


def _file(content: bytes | None, stack: ExitStack) -> int | None:
    """A descriptor from which ``content`` can be read."""
    if content is None:
        return None
    fd = os.memfd_create("filter")
    stack.callback(os.close, fd)
    os.write(fd, content)
    return fd


_LEFT = 1 << 30
"""Bytes that are left to others."""


class Disk:
    """The disk of a folder; see :class:`gitscalpel.system.processes.Stop`.

    Args:
        folder: where programs write.
        stop: what else ends them.

    Attributes:
        room: bytes that they may take, all together.
        low: it has got too full.
    """

    def __init__(self, folder: Path, stop: Stop | None) -> None:
        self._folder, self._stop, self.low = folder, stop, False
        free = _free(folder)
        self._floor = min(_LEFT, free // 2)
        self.room = free - self._floor

    def is_set(self) -> bool:
        """Whether programs are to be ended now."""
        self.low = self.low or _free(self._folder) < self._floor
        return self.low or (self._stop is not None and self._stop.is_set())


def _free(folder: Path) -> int:
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize
