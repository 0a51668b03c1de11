"""Put the repositories of tests into memory if the machine has a directory for that.

Every landing is synced, so that tests would mostly wait for a slow disk. Tests of disk failures do not use
the disk of this machine but a recorded one, see ``tests/power``. ``TMPDIR`` overrides the directory.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

_MEMORY = Path("/dev/shm")  # noqa: S108 - we make our own directories there
_ROOM = 4 << 30
"""Free bytes required; all tests together use less than half of that at any time."""


def use_memory() -> None:
    """Let this process and those that it starts put temporary files into memory."""
    if "TMPDIR" not in os.environ and _has_room():
        os.environ["TMPDIR"] = str(_MEMORY)
        tempfile.tempdir = None


def _has_room() -> bool:
    try:
        runs_programs = not os.statvfs(_MEMORY).f_flag & os.ST_NOEXEC
        return runs_programs and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ROOM
    except OSError:
        return False
