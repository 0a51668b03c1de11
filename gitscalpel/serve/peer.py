"""What the kernel says of the process at the other end: a call runs with no more than its caller has.

Who sits in a sandbox, a container or a namespace of his own, or has given something up, is not served: the
server has not given it up, and a call through it would be the way out.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` makes an enumeration of all that it answers
import os
import resource
import signal
import socket
import struct
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_LINKS = ("root", *(f"ns/{name}" for name in ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")))
_SAME = (
    *("Uid", "Gid", "Groups", "Seccomp", "Seccomp_filters"),
    *("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"),
)
"""Of ``/proc/PID/status``, see proc(5)."""
_NOBODYS = ("NoNewPrivs", "TracerPid")
"""Rows that are 0 for a process that is not confined in ways that nobody can see (landlock(7)), and that no
debugger or tracer looks at, who would see nothing of the call."""
_CREDENTIALS = "3i"
_SIGNALS = sorted(
    {int(number) for number in signal.valid_signals()}
    - {signal.SIGKILL, signal.SIGSTOP, signal.SIGPIPE, signal.SIGXFSZ}
)
"""Those that a process can inherit; the last two every interpreter ignores, whoever starts it."""
_LIMITS = sorted({getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")})


class Peer(NamedTuple):
    """A process, and what of it a child can take over.

    Attributes:
        pid: its number.
        ignored: the signals that it ignores, as a mask.
        blocked: those that wait.
        nice: how far it stands back.
        processors: on which it may run.
        limits: for each resource, the soft and the hard limit.
    """

    pid: int
    ignored: int
    blocked: int
    nice: int
    processors: frozenset[int]
    limits: tuple[tuple[int, tuple[int, int]], ...]


class World(NamedTuple):
    """What a process may do and see.

    Attributes:
        status: some rows of its status, see :data:`_SAME`.
        links: its namespaces and the root of its files.
        label: what a security module calls it.
    """

    status: tuple[str | None, ...]
    links: tuple[str, ...]
    label: str


def own() -> World:
    """That of this process, which children share."""
    return _world(Path("/proc/self"), _status(Path("/proc/self")))


def of(line: socket.socket, world: World) -> Peer | None:
    """Who has connected; None: their world is another one."""
    size = struct.calcsize(_CREDENTIALS)
    pid, uid, _ = struct.unpack(_CREDENTIALS, line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    if uid != os.getuid() or pid <= 0:
        return None
    place = Path(f"/proc/{pid}")
    try:
        status = _status(place)
        if any(status.get(key) != "0" for key in _NOBODYS) or _world(place, status) != world:
            return None
        return Peer(
            pid,
            int(status["SigIgn"], 16),
            int(status["SigBlk"], 16),
            os.getpriority(os.PRIO_PROCESS, pid),
            frozenset(os.sched_getaffinity(pid)),
            tuple((number, resource.prlimit(pid, number)) for number in _LIMITS),
        )
    except OSError:
        return None


def become(peer: Peer) -> None:
    """Take over what a process inherits and cannot send.

    Raises:
        OSError, ValueError: it has more than this process may have.
    """
    for number, limits in peer.limits:
        if resource.getrlimit(number) != limits:
            resource.setrlimit(number, limits)
    os.sched_setaffinity(0, peer.processors)
    if os.getpriority(os.PRIO_PROCESS, 0) != peer.nice:
        os.setpriority(os.PRIO_PROCESS, 0, peer.nice)
    for number in _SIGNALS:
        is_ignored = peer.ignored >> (number - 1) & 1
        default = _signal.default_int_handler if number == signal.SIGINT else _signal.SIG_DFL
        heeded = _signal.SIG_IGN if is_ignored else default
        if _signal.getsignal(number) != heeded:
            _signal.signal(number, heeded)
    blocked = [number for number in _SIGNALS if peer.blocked >> (number - 1) & 1]
    _signal.pthread_sigmask(_signal.SIG_SETMASK, blocked)


def _status(place: Path) -> dict[str, str]:
    rows = (place / "status").read_text(encoding="ascii", errors="replace").splitlines()
    return {key: value.strip() for key, _, value in (row.partition(":") for row in rows)}


def _world(place: Path, status: dict[str, str]) -> World:
    label = ""
    with suppress(OSError):  # there is no such module
        label = (place / "attr/current").read_text(encoding="utf-8", errors="replace")
    links = tuple(os.readlink(f"{place}/{name}") for name in _LINKS)  # noqa: PTH115 - some are no paths
    return World(tuple(map(status.get, _SAME)), links, label)
