"""Control groups (cgroups(7)) of two processes: whether either limits what the other does not.

Sessions and terminals have groups of their own as a rule, without limits, and share one server.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_PLACES = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified"))
"""Where the second version is mounted."""
_UNLIMITED = {
    "memory.max": "max",
    "memory.high": "max",
    "memory.swap.max": "max",
    "memory.zswap.max": "max",
    "pids.max": "max",
    "cpu.max": "max",
    "cpu.idle": "0",
    "io.max": "",
    "cpuset.cpus": "",
    "cpuset.mems": "",
    "cgroup.freeze": "0",
}
"""What files of a group say, up to the first blank, that limits nothing, as one that is not there."""
_SECOND = "0"
_UNLIMITING = "name=systemd"
"""The hierarchy of the first version that has no controller."""


def limit_alike(one: str, other: str) -> bool:
    """Return True if processes in two sets of groups are limited alike, as far as can be seen.

    Args:
        one: the rows of ``/proc/PID/cgroup``.
        other: those of another process in the same namespace.
    """
    ours, theirs = dict(_rows(one)), dict(_rows(other))
    if ours.keys() != theirs.keys():
        return False
    for controllers, mine in ours.items():
        its = theirs[controllers]
        if mine == its or controllers[1] == _UNLIMITING:
            continue
        if controllers != (_SECOND, "") or not (_is_free(mine, its) and _is_free(its, mine)):
            return False
    return True


def _rows(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    for row in text.splitlines():
        number, controllers, path = row.split(":", 2)
        yield (_SECOND if number == _SECOND else "1", controllers), path


def _is_free(path: str, other: str) -> bool:
    """Return True if no group limits ``path`` up to the one that it shares with ``other``."""
    shared = os.path.commonpath([path, other])
    place = next((each for each in _PLACES if (each / "cgroup.controllers").is_file()), None)
    if place is None or ".." in path:
        return False
    while path != shared:
        if not _limits_nothing(place / path.lstrip("/")):
            return False
        path = os.path.dirname(path)  # noqa: PTH120 - a text of the kernel
    return True


def _limits_nothing(group: Path) -> bool:
    if not group.is_dir():
        return False
    for name, unlimited in _UNLIMITED.items():
        try:
            said = (group / name).read_text().split(" ")[0].strip()
        except FileNotFoundError:
            continue
        except OSError:
            return False
        if said != unlimited:
            return False
    return True
