"""Command line and system call filter for a sandbox (https://github.com/containers/bubblewrap).

A sandbox has its own processes, users, network and terminal, and ends with the process that started it.

Namespaces do not separate everything: keys of the session, sockets of a hypervisor, the input of a
terminal. So a filter refuses some system calls. The filter is a program in classic BPF
(``Documentation/userspace-api/seccomp_filter.rst``).
"""

from __future__ import annotations

import errno
import os
import platform
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import msgspec


class Mount(msgspec.Struct, frozen=True):
    """One place.

    Attributes:
        path: where.
        kind: ``look``: another place, for reading; ``own``: another place, as it is; ``empty``: a folder
            in memory, for writing; ``hidden``: nothing, and no writing; ``link``: a symbolic link.
        source: the other place; for a link, where it leads.
    """

    path: Path
    kind: Literal["look", "own", "empty", "hidden", "link"]
    source: Path | None = None


def look(path: Path) -> Mount:
    """A place as it is, for reading."""
    return Mount(path, "look", path)


def ordered(mounts: Iterable[Mount]) -> list[Mount]:
    """What lies in another place after that; of two in one place the later."""
    last = {mount.path: mount for mount in mounts}
    return sorted(last.values(), key=lambda mount: mount.path.parts)


_APART = (
    *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"),
    *("--disable-userns", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "sandbox"),
)
_JOIN = (
    'n=$1; shift; while [ "$n" -gt 0 ]; do echo $$ >"$1" || exit 125; shift; n=$((n - 1)); done; exec "$@"'
)
_LAY_OVER = (
    'cd "$1" && mount -t overlay overlay -o "$2" merged && cd / && unset OLDPWD && shift 2 && exec "$@"'
)
_LAYERS = "lowerdir=below,upperdir=above,workdir=work,userxattr"
"""Names without a comma or a colon, which would end them; ``below`` is a link."""


def words(
    bwrap: str,
    mounts: Sequence[Mount],
    *,
    network: bool,
    memory: int,
    told: int | None = None,
    filtered: int | None = None,
    folder: Path,
    program: Sequence[str],
) -> list[str]:
    """The command line.

    Args:
        bwrap: the program.
        mounts: what it finds, each after what it lies in.
        network: whether it has the machine's.
        memory: bytes for each folder in memory.
        told: a descriptor into which it is written which process is the first.
        filtered: a descriptor with a filter for system calls.
        folder: where it runs.
        program: what it runs.
    """
    size = ("--size", str(memory))
    line = [bwrap, *_APART, *([] if network else ["--unshare-net"])]
    line += ["--uid", str(os.getuid()), "--gid", str(os.getgid())]
    if told is not None:
        line += ["--info-fd", str(told)]
    if filtered is not None:
        line += ["--seccomp", str(filtered)]
    late = []
    line += [*size, "--tmpfs", "/", "--proc", "/proc", *_closed(), "--dev", "/dev"]
    line += [*size, "--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]  # noqa: S108 - its own
    for mount in mounts:
        if mount.kind == "empty":
            line += [*size, "--perms", "0700", "--tmpfs", str(mount.path)]
        elif mount.kind == "link":
            line += ["--symlink", str(mount.source), str(mount.path)]
        elif mount.kind == "hidden" and mount.path.is_file():
            line += ["--ro-bind", os.devnull, str(mount.path)]
        elif mount.kind == "hidden":
            line += [*size, "--tmpfs", str(mount.path)]
            late += ["--remount-ro", str(mount.path)]
        else:
            line += ["--bind" if mount.kind == "own" else "--ro-bind", str(mount.source), str(mount.path)]
    return [*line, *late, "--remount-ro", "/", "--chdir", str(folder), "--", *program]


def _closed() -> list[str]:
    """Settings of the kernel, which root, in a container, owns whatever rights it has given up."""
    line = []
    for name in ("sys", "irq", "bus", "fs", "acpi", "scsi", "driver", "tty"):
        line += ["--ro-bind-try", f"/proc/{name}", f"/proc/{name}"]
    for name in ("sysrq-trigger", "mtrr", "kcore", "kmsg"):
        if os.path.exists(f"/proc/{name}"):  # noqa: PTH110 - no more is asked
            line += ["--ro-bind", os.devnull, f"/proc/{name}"]
    return line


def limited(script: str, program: Sequence[str]) -> list[str]:
    """A program that takes limits on before it begins."""
    return ["/bin/sh", "-c", f'{script} exec "$@"', "sh", *program]


def joining(groups: Sequence[Path], program: Sequence[str]) -> list[str]:
    """A program that joins control groups before it begins."""
    if not groups:
        return list(program)
    return ["/bin/sh", "-c", _JOIN, "sh", str(len(groups)), *map(str, groups), *program]


def laid_over(unshare: str, folder: Path, program: Sequence[str]) -> list[str]:
    """A program that finds in ``folder / "merged"`` what is ``below``, and writes ``above``."""
    shell = ["/bin/sh", "-c", _LAY_OVER, "sh", str(folder), _LAYERS]
    return [unshare, "--user", "--map-root-user", "--mount", *shell, *program]


_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24
"""Where in ``struct seccomp_data`` they stand; of an argument the lower half, on little-endian machines."""
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_X32 = 0x40000000
"""Numbers from which on calls are of another convention, on x86-64."""
_PUSHING = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX, which put input into a terminal."""
_FAMILIES = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK: of these each network name space has its own."""


class _Numbers(msgspec.Struct, frozen=True):
    """Of an architecture: its name for the kernel, ``ioctl``, ``socket``, and what is refused."""

    audit: int
    ioctl: int
    socket: int
    refused: tuple[int, ...]


# syslog, add_key, request_key, keyctl, perf_event_open, bpf, userfaultfd, io_uring_setup, _enter, _register
_MACHINES = {
    "x86_64": _Numbers(0xC000003E, 16, 41, (103, 248, 249, 250, 298, 321, 323, 425, 426, 427)),
    "aarch64": _Numbers(0xC00000B7, 29, 198, (116, 217, 218, 219, 241, 280, 282, 425, 426, 427)),
}


def program() -> bytes | None:
    """The filter for this machine; None where its numbers are not known."""
    numbers = _MACHINES.get(platform.machine())
    if numbers is None:
        return None
    rows = [_row(_LOAD, _ARCHITECTURE), _row(_EQUAL, numbers.audit, 1, 0), _no(errno.ENOSYS)]
    rows += [_row(_LOAD, _NUMBER), _row(_AT_LEAST, _X32, 0, 1), _no(errno.ENOSYS)]
    for number in numbers.refused:
        rows += [_row(_EQUAL, number, 0, 1), _no(errno.ENOSYS)]
    pushed = [row for value in _PUSHING for row in (_row(_EQUAL, value, 0, 1), _no(errno.EPERM))]
    rows += _if(numbers.ioctl, [_row(_LOAD, _SECOND), *pushed])
    known = [_row(_EQUAL, family, 0, 1) + _row(_RETURN, _ALLOW) for family in _FAMILIES]
    rows += _if(numbers.socket, [_row(_LOAD, _FIRST), *known, _no(errno.EAFNOSUPPORT)])
    return b"".join([*rows, _row(_RETURN, _ALLOW)])


def _if(number: int, rows: list[bytes]) -> list[bytes]:
    """Rows for one call alone; whatever they do not decide is allowed."""
    body = b"".join([*rows, _row(_RETURN, _ALLOW)])
    return [_row(_EQUAL, number, 0, len(body) // 8), body]


def _no(number: int) -> bytes:
    return _row(_RETURN, _REFUSE | number)


def _row(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("<HBBI", code, then, otherwise, value)
