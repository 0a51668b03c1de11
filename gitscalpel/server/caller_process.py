"""The kernel's view of the calling process: a call runs with no more rights than its caller has.

A caller in a sandbox, container or namespace of its own, or one that has dropped privileges, is not served:
the server has not dropped them, so a call through it would be an escape. Control groups (cgroups(7)) must
have the same limits.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` wraps every result in an enumeration
import ctypes
import os
import platform
import resource
import secrets
import signal
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from gitscalpel.server import client

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
"""Numbers of ``ioprio_set`` and ``ioprio_get``, which the C library does not wrap: ioprio_set(2)."""
_PROCESS = 1
_DEFAULT_SLACK_NS = 50_000  # Default timer slack of a process, in nanoseconds
_CAP_SYS_NICE = 23
_libc = ctypes.CDLL(None, use_errno=True)


class Scheduling(NamedTuple):
    """Inherited scheduling properties of a process.

    Attributes:
        policy: scheduling policy, with the flag that children do not inherit it.
        priority: static priority. 0 except for real time.
        processors: processors on which it may run.
        io: class and priority of its disk accesses. None if the system call of this machine is not known.
        oom: adjustment for the OOM killer.
        slack: timer slack in nanoseconds. None if only root may see it.
    """

    policy: int
    priority: int
    nice: int
    processors: frozenset[int]
    io: int | None
    oom: str
    slack: str | None


def read_scheduling(pid: int) -> Scheduling:
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
        _get_io_priority(pid),
        (place / "oom_score_adj").read_text(),
        slack,
    )


def take_over(wanted: Scheduling) -> None:
    """Give this process the scheduling of another one.

    Raises:
        OSError: this process may not have it.
    """
    current = read_scheduling(0)
    if current == wanted:
        return
    if current.processors != wanted.processors:
        os.sched_setaffinity(0, wanted.processors)
    if current.oom != wanted.oom:
        Path("/proc/self/oom_score_adj").write_text(wanted.oom)
    if wanted.slack is not None and current.slack != wanted.slack:
        Path("/proc/self/timerslack_ns").write_text(wanted.slack)
    if current.io != wanted.io and wanted.io is not None:
        _set_io_priority(wanted.io)
    if current.nice != wanted.nice:
        os.setpriority(os.PRIO_PROCESS, 0, wanted.nice)
    if current[:2] != wanted[:2]:
        os.sched_setscheduler(0, wanted.policy, os.sched_param(wanted.priority))


def make_neutral() -> None:
    """Give this process the default scheduling, as far as allowed."""
    for change in (
        lambda: os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0)),
        lambda: os.setpriority(os.PRIO_PROCESS, 0, 0),
        lambda: os.sched_setaffinity(0, range(os.cpu_count() or 1)),
        lambda: _set_io_priority(0),
        lambda: Path("/proc/self/oom_score_adj").write_text("0"),
        lambda: Path("/proc/self/timerslack_ns").write_text(str(_DEFAULT_SLACK_NS)),
    ):
        with suppress(OSError):
            change()


def can_be_neutral() -> bool:
    """Return True if :func:`make_neutral` can undo the scheduling of this process."""
    is_plain = os.getpriority(os.PRIO_PROCESS, 0) <= 0 and os.sched_getscheduler(0) == os.SCHED_OTHER
    rows = Path("/proc/self/status").read_text().splitlines()
    capabilities = next((int(row.split()[1], 16) for row in rows if row.startswith("CapEff:")), 0)
    return is_plain or bool(capabilities >> _CAP_SYS_NICE & 1)


def _get_io_priority(pid: int) -> int | None:
    numbers = _IOPRIO.get(platform.machine())
    return None if numbers is None else int(_libc.syscall(numbers[1], _PROCESS, pid))


def _set_io_priority(priority: int) -> None:
    numbers = _IOPRIO.get(platform.machine())
    if numbers is not None and _libc.syscall(numbers[0], _PROCESS, 0, priority):
        raise OSError(ctypes.get_errno(), "ioprio_set")


CGROUP_MOUNTS = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified"))  # Mount points of cgroup v2
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
"""Files of a group and their first word without a limit. A missing file means no limit too."""
_V2_NUMBER = "0"
_V1_WITHOUT_CONTROLLER = "name=systemd"  # Hierarchy of cgroup v1 without a controller


def have_same_limits(first: str, second: str) -> bool:
    """Return True if processes in two sets of groups have the same limits, as far as visible.

    The sets are the contents of ``/proc/PID/cgroup`` of processes in one namespace.
    """
    first_groups, second_groups = dict(_parse_groups(first)), dict(_parse_groups(second))
    if first_groups.keys() != second_groups.keys():
        return False
    for controllers, first_path in first_groups.items():
        second_path = second_groups[controllers]
        if first_path == second_path or controllers[1] == _V1_WITHOUT_CONTROLLER:
            continue
        if controllers != (_V2_NUMBER, "") or not (
            _is_unlimited_up_to(first_path, second_path) and _is_unlimited_up_to(second_path, first_path)
        ):
            return False
    return True


def _parse_groups(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    for row in text.splitlines():
        number, controllers, path = row.split(":", 2)
        yield (_V2_NUMBER if number == _V2_NUMBER else "1", controllers), path


def _is_unlimited_up_to(path: str, other: str) -> bool:
    """Return True if no group limits ``path`` below the common ancestor with ``other``."""
    shared = os.path.commonpath([path, other])
    place = next((each for each in CGROUP_MOUNTS if (each / "cgroup.controllers").is_file()), None)
    if place is None or ".." in path:
        return False
    while path != shared:
        if not _is_unlimited(place / path.lstrip("/")):
            return False
        path = os.path.dirname(path)  # noqa: PTH120 - a path printed by the kernel
    return True


def _is_unlimited(group: Path) -> bool:
    if not group.is_dir():
        return False
    for name, unlimited in _UNLIMITED.items():
        try:
            value = (group / name).read_text().split(" ")[0].strip()
        except FileNotFoundError:
            continue
        except OSError:
            return False
        if value != unlimited:
            return False
    return True


_LINKS = ("root", *(f"ns/{name}" for name in ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")))
_NEWER_LINKS = ("ns/pid_for_children", "ns/time", "ns/time_for_children")
"""Links that older kernels do not have."""
_LABELS = ("attr/current", "attr/apparmor/current", "attr/fscreate", "attr/exec", "loginuid")
"""Labels by security modules, and the user for the audit log."""
_COMPARED_ROWS = (
    *("Uid", "Gid", "Groups", "Seccomp", "Seccomp_filters", "NoNewPrivs"),
    *("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"),
)
"""Rows of ``/proc/PID/status`` that must be equal, see proc(5)."""
_ZERO_ROWS = ("NoNewPrivs", "TracerPid")
"""Rows that must be 0.

Otherwise the process has an invisible confinement (landlock(7)), or a debugger, which would miss the call.
"""
_CREDENTIALS = "3i"
_SIGNALS = sorted(
    {int(number) for number in signal.valid_signals()}
    - {signal.SIGKILL, signal.SIGSTOP, signal.SIGPIPE, signal.SIGXFSZ}
)
"""Signals that a process can inherit, without those that every interpreter ignores."""
_LIMITS = sorted({getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")})


class Peer(NamedTuple):
    """A calling process, and its state that a child can take over.

    Attributes:
        ignored, blocked: masks of signals.
        limits: soft and hard limit of each resource.
    """

    pid: int
    ignored: int
    blocked: int
    scheduling: Scheduling
    limits: tuple[tuple[int, tuple[int, int]], ...]


class ProcessRights(NamedTuple):
    """Rights and view of a process.

    Attributes:
        status: rows of its status, see :data:`_COMPARED_ROWS`.
        links: its namespaces and file system root.
        labels: labels by security modules, and the audit user.
        groups: its control groups. Groups with the same limits count as equal.
        proof: see :data:`gitscalpel.server.client.PROOF`. Empty for other processes.
    """

    status: tuple[str | None, ...]
    links: tuple[str, ...]
    labels: tuple[str, ...]
    groups: str
    proof: str = ""


def read_own_rights() -> ProcessRights:
    """Return the rights of this process, which children share, with a proof for its callers.

    Raises:
        OSError: too many open files.
    """
    rights = _read_world(Path("/proc/self"), _read_status(Path("/proc/self")))
    return rights._replace(proof=_proof_name())


def is_confined() -> bool:
    """Return True if callers may have more rights than this process, which then cannot serve them.

    System call filters are counted and not shown. Those of the first process (of a container) apply to all.
    """
    try:
        mine, first = _read_status(Path("/proc/self")), _read_status(Path("/proc/1"))
    except OSError:
        mine, first = _read_status(Path("/proc/self")), {}
    filters = mine.get("Seccomp_filters", "0")
    return any(mine.get(key) != "0" for key in _ZERO_ROWS) or filters not in (
        "0",
        first.get("Seccomp_filters"),
    )


def _proof_name() -> str:
    """Return the unguessable name of a file that this process holds open."""
    place = f"/proc/self/fd/{client.PROOF}"
    if not os.path.lexists(place):
        file = os.memfd_create(secrets.token_hex(16), os.MFD_CLOEXEC)
        os.dup2(file, client.PROOF, inheritable=False)
        os.close(file)
    return os.readlink(place)  # noqa: PTH115 - not a path


def find_peer(line: socket.socket, world: ProcessRights) -> Peer | None:
    """Return the connected caller. None if its rights differ."""
    size = struct.calcsize(_CREDENTIALS)
    pid, uid, _ = struct.unpack(_CREDENTIALS, line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    if uid != os.getuid() or pid <= 0:
        return None
    place = Path(f"/proc/{pid}")
    try:
        status = _read_status(place)
        if any(status.get(key) != "0" for key in _ZERO_ROWS) or not _has_same_rights(
            _read_world(place, status), world
        ):
            return None
        return Peer(
            pid,
            int(status["SigIgn"], 16),
            int(status["SigBlk"], 16),
            read_scheduling(pid),
            tuple((number, resource.prlimit(pid, number)) for number in _LIMITS),
        )
    except OSError:
        return None


def take_over_peer(peer: Peer) -> None:
    """Take over the state that a process inherits and cannot send.

    Raises:
        OSError, ValueError: this process may not have it.
    """
    for number, limits in peer.limits:
        if resource.getrlimit(number) != limits:
            resource.setrlimit(number, limits)
    take_over(peer.scheduling)
    for number in _SIGNALS:
        is_ignored = peer.ignored >> (number - 1) & 1
        default = _signal.default_int_handler if number == signal.SIGINT else _signal.SIG_DFL
        handler = _signal.SIG_IGN if is_ignored else default
        if _signal.getsignal(number) != handler:
            _signal.signal(number, handler)
    blocked = [number for number in _SIGNALS if peer.blocked >> (number - 1) & 1]
    _signal.pthread_sigmask(_signal.SIG_SETMASK, blocked)


def _read_status(place: Path) -> dict[str, str]:
    rows = (place / "status").read_text(encoding="ascii", errors="replace").splitlines()
    return {key: value.strip() for key, _, value in (row.partition(":") for row in rows)}


def _read_world(place: Path, status: dict[str, str]) -> ProcessRights:
    links = tuple(os.readlink(f"{place}/{name}") for name in _LINKS)  # noqa: PTH115 - some are not paths
    newer = tuple(_read_link(f"{place}/{name}") for name in _NEWER_LINKS)
    labels = tuple(_read_text(f"{place}/{name}") for name in _LABELS)
    return ProcessRights(
        tuple(map(status.get, _COMPARED_ROWS)), links + newer, labels, _read_text(f"{place}/cgroup")
    )


def _has_same_rights(caller: ProcessRights, world: ProcessRights) -> bool:
    return caller == world._replace(proof="", groups=caller.groups) and (
        caller.groups == world.groups or have_same_limits(caller.groups, world.groups)
    )


def _read_link(name: str) -> str:
    try:
        return os.readlink(name)  # noqa: PTH115 - some are not paths
    except FileNotFoundError:  # older kernel
        return ""


def _read_text(name: str) -> str:
    """Return the content of a file. Empty if the security module does not exist or is not in use."""
    try:
        file = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return ""
    try:
        return os.read(file, 65_536).decode("utf-8", "replace")
    except OSError:  # the security module is not in use
        return ""
    finally:
        os.close(file)
