"""The system calls that a program in a sandbox has to do without, as a filter for the kernel.

Name spaces do not keep apart everything: keys of the session, sockets of a hypervisor, the input of a
terminal. The filter is a program in classic BPF (``Documentation/userspace-api/seccomp_filter.rst``).
"""

from __future__ import annotations

import errno
import platform
import struct

import msgspec

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
