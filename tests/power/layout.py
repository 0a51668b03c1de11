"""Lays a state out in a folder, as a machine finds it that has been started again."""

from __future__ import annotations

import os
import shutil
import stat
import time
from pathlib import Path

from tests.power.disk import State

_STAMP, _ANOTHER_BOOT = ".git/scalpel/boot", b"another"
"""Which boot of the machine has last been seen, and that it is over."""
_EARLIER = 3600
"""Seconds before the machine was started: from then is everything that is found after a power cut."""


def lay_out(state: State, place: Path) -> None:
    """Make ``place`` what the state says."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    files: dict[int, Path] = {}
    for path, (mode, content, number) in state.items():
        full = place / path
        if number in files:
            os.link(files[number], full, follow_symlinks=False)
        elif stat.S_ISDIR(mode):
            full.mkdir()
        elif stat.S_ISLNK(mode):
            full.symlink_to(os.fsdecode(content))
        else:
            full.write_bytes(_ANOTHER_BOOT if path.endswith(_STAMP) else content)
            full.chmod(stat.S_IMODE(mode))
            files[number] = full
    then = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) - _EARLIER
    for path in state:
        os.utime(place / path, (then, then), follow_symlinks=False)
