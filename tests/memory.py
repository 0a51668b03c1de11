"""Where the repositories of the tests lie: in memory, where the machine has a folder for that.

Every landing is synced, so with a slow disk the tests would wait for that more than for anything else.
What is said to hold when a disk fails is not tried on the disk of this machine, but on one that is
written down, see ``tests/power``. Who sets ``TMPDIR`` has them there.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

_MEMORY = Path("/dev/shm")  # noqa: S108 - folders of our own are made there
_ROOM = 4 << 30
"""Bytes that have to be free; all tests together leave less than half of that at any time."""


def use_memory() -> None:
    """Have this process and those that it starts put temporary files into memory."""
    if "TMPDIR" not in os.environ and _has_room():
        os.environ["TMPDIR"] = str(_MEMORY)
        tempfile.tempdir = None


def _has_room() -> bool:
    try:
        runs_programs = not os.statvfs(_MEMORY).f_flag & os.ST_NOEXEC
        return runs_programs and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ROOM
    except OSError:
        return False
