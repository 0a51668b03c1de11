"""Scheduling of a process: CPU and I/O priority, and its place in the order of the OOM killer.

All of this is inherited. So the server sets neutral values, and a child takes over those of its caller.
"""

from __future__ import annotations

import ctypes
import os
import platform
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_IOPRIO = {
    "x86_64": (251, 252),
    "aarch64": (30, 31),
    "riscv64": (30, 31),
    "loongarch64": (30, 31),
    "ppc64le": (273, 274),
    "s390x": (282, 283),
    "armv7l": (314, 315),
    "i686": (289, 290),
}
"""The numbers of ``ioprio_set`` and ``ioprio_get``, which the C library does not wrap: ioprio_set(2)."""
_PROCESS = 1
_SLACK = 50_000
"""Nanoseconds of timer slack that a process begins with."""
_CAP_SYS_NICE = 23
_libc = ctypes.CDLL(None, use_errno=True)


class Scheduling(NamedTuple):
    """Inherited properties of a process.

    Attributes:
        policy: the scheduling policy, with the flag that children do not inherit it.
        priority: the static priority; 0 but for real time.
        nice: the nice value.
        processors: the processors that it may run on.
        io: the class and priority of its disk accesses; None if this machine's call is not known.
        oom: the adjustment by which it is killed when memory runs out.
        slack: the timer slack in nanoseconds; None if only root may see it.
    """

    policy: int
    priority: int
    nice: int
    processors: frozenset[int]
    io: int | None
    oom: str
    slack: str | None


def read(pid: int) -> Scheduling:
    """Return the scheduling of a process; 0 is this one.

    Raises:
        OSError: the process has ended.
    """
    place = Path(f"/proc/{pid or 'self'}")
    slack = None
    with suppress(OSError):
        slack = (place / "timerslack_ns").read_text()
    return Scheduling(
        os.sched_getscheduler(pid),
        os.sched_getparam(pid).sched_priority,
        os.getpriority(os.PRIO_PROCESS, pid),
        frozenset(os.sched_getaffinity(pid)),
        _io(pid),
        (place / "oom_score_adj").read_text(),
        slack,
    )


def take_over(wanted: Scheduling) -> None:
    """Give this process the scheduling of another one.

    Raises:
        OSError: the other one has more than this process may have.
    """
    now = read(0)
    if now == wanted:
        return
    if now.processors != wanted.processors:
        os.sched_setaffinity(0, wanted.processors)
    if now.oom != wanted.oom:
        Path("/proc/self/oom_score_adj").write_text(wanted.oom)
    if wanted.slack is not None and now.slack != wanted.slack:
        Path("/proc/self/timerslack_ns").write_text(wanted.slack)
    if now.io != wanted.io and wanted.io is not None:
        _set_io(wanted.io)
    if now.nice != wanted.nice:
        os.setpriority(os.PRIO_PROCESS, 0, wanted.nice)
    if now[:2] != wanted[:2]:
        os.sched_setscheduler(0, wanted.policy, os.sched_param(wanted.priority))


def make_neutral() -> None:
    """Give this process the scheduling that one begins with, as far as it may have it."""
    for change in (
        lambda: os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0)),
        lambda: os.setpriority(os.PRIO_PROCESS, 0, 0),
        lambda: os.sched_setaffinity(0, range(os.cpu_count() or 1)),
        lambda: _set_io(0),
        lambda: Path("/proc/self/oom_score_adj").write_text("0"),
        lambda: Path("/proc/self/timerslack_ns").write_text(str(_SLACK)),
    ):
        with suppress(OSError):
            change()


def can_be_neutral() -> bool:
    """Return True if :func:`make_neutral` can take back what this process has been given."""
    is_plain = os.getpriority(os.PRIO_PROCESS, 0) <= 0 and os.sched_getscheduler(0) == os.SCHED_OTHER
    rows = Path("/proc/self/status").read_text().splitlines()
    capabilities = next((int(row.split()[1], 16) for row in rows if row.startswith("CapEff:")), 0)
    return is_plain or bool(capabilities >> _CAP_SYS_NICE & 1)


def _io(pid: int) -> int | None:
    numbers = _IOPRIO.get(platform.machine())
    return None if numbers is None else int(_libc.syscall(numbers[1], _PROCESS, pid))


def _set_io(priority: int) -> None:
    numbers = _IOPRIO.get(platform.machine())
    if numbers is not None and _libc.syscall(numbers[0], _PROCESS, 0, priority):
        raise OSError(ctypes.get_errno(), "ioprio_set")
