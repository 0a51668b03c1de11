"""Time and id of the machine's boot: a lock file from before it has no holder any more.

A lock file outlives a power cut, unlike a lock held by the system, but its process does not. On Linux
and macOS the system distinguishes boots by an id, whatever the clock says.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")  # random(4)


@cache
def identity() -> bytes:
    """What this start of the machine is called; empty where nobody knows."""
    if sys.platform == "darwin":
        return _sysctl(b"kern.bootsessionuuid").rstrip(b"\0")
    with suppress(OSError):
        return _BOOT_ID.read_bytes().strip()
    return b""


def began() -> float:
    """When it was, in seconds since the epoch by the clock as it goes now; 0 where nobody knows."""
    if sys.platform == "darwin":
        return float(int.from_bytes(_sysctl(b"kern.boottime")[:8], sys.byteorder))
    with suppress(AttributeError, OSError):
        return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    return 0.0


def _sysctl(name: bytes) -> bytes:
    """A value of macOS: https://developer.apple.com/documentation/kernel/1387446-sysctlbyname."""
    try:
        import ctypes  # which a Python that was built without libffi has not

        size = ctypes.c_size_t(64)
        value = ctypes.create_string_buffer(size.value)
        failed = ctypes.CDLL(None).sysctlbyname(name, value, ctypes.byref(size), None, ctypes.c_size_t(0))
    except (ImportError, AttributeError, OSError):
        return b""
    return b"" if failed else value.raw[: size.value]
