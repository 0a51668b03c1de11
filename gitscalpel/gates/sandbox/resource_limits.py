"""Limits on processes and memory of a program in a sandbox.

The kernel counts processes and memory of all of them together in a control group, if this user may
create one (version 1 or 2). In addition, each process has limits of its own, and processes are counted
by user.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

_FILES = {"pids": ("pids.max", "pids.max"), "memory": ("memory.limit_in_bytes", "memory.max")}
"""Of a controller: what limits it in version 1 and in version 2."""
_MEMBERS = "cgroup.procs"
_ENDING = 2.0
"""Seconds for what was killed to be gone."""


class Limits(msgspec.Struct, frozen=True):
    """What one program and all it starts may take.

    Attributes:
        memory: bytes.
        processes: how many, with their threads.
        file: bytes of one file on the disk.
    """

    memory: int
    processes: int
    file: int

    @property
    def script(self) -> str:
        """Takes them on in a shell, before the program begins; shells differ in ``-u`` and ``-p``."""
        return (
            f"ulimit -c 0; ulimit -u {self.processes} 2>/dev/null || ulimit -p {self.processes}; "
            f"ulimit -d {self.memory // 1024}; ulimit -f {self.file // 512}; "
        )


def physical() -> int:
    """Bytes of memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@contextmanager
def group(limits: Limits) -> Iterator[list[Path]]:
    """Control groups with these limits: the files into which who joins writes his number; maybe none."""
    made: list[Path] = []
    try:
        for controller, value in (("pids", limits.processes), ("memory", limits.memory)):
            with suppress(OSError):
                made += _made(controller, value)
        yield [folder / _MEMBERS for folder in made]
    finally:
        for folder in made:
            _removed(folder)


def _made(controller: str, value: int) -> Iterator[Path]:
    for parent, version in _parents(controller):
        folder = parent / f"gitscalpel-{os.getpid()}-{os.urandom(4).hex()}"
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            (folder / _FILES[controller][version - 1]).write_text(f"{value}\n")
        except OSError:
            folder.rmdir()
            continue
        yield folder
        return


def _parents(controller: str) -> Iterator[tuple[Path, int]]:
    """Groups in which one with this controller could be made, and the version that they are of."""
    own = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text("utf-8").splitlines()]
    for row in Path("/proc/self/mountinfo").read_text("utf-8").splitlines():
        place, _, system = row.partition(" - ")
        kind, _, options = system.split(" ", 2)
        top = Path(place.split(" ")[4])
        if kind == "cgroup" and controller in options.split(","):
            for _, names, path in own:
                if controller in names.split(","):
                    yield top / path.lstrip("/"), 1
        elif kind == "cgroup2":
            path = next((path for number, _, path in own if number == "0"), "/")
            here = top / path.lstrip("/")
            # A group that has members hands nothing down, so it is one above that may.
            for folder in (here, *here.parents):
                if folder.is_relative_to(top) and _hands_down(folder, controller):
                    yield folder, 2


def _hands_down(folder: Path, controller: str) -> bool:
    try:
        given = (folder / "cgroup.subtree_control").read_text("utf-8").split()
    except OSError:
        return False
    return controller in given and os.access(folder / _MEMBERS, os.W_OK)


def _removed(folder: Path) -> None:
    end = time.monotonic() + _ENDING
    while True:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:  # what was killed there has not ended yet
            if time.monotonic() > end:
                return
            time.sleep(0.002)
        else:
            return
