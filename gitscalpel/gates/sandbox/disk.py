"""Keeps programs in a sandbox from filling the disk: they are stopped before it is full."""

from __future__ import annotations

import os
from pathlib import Path

from gitscalpel.system.processes import Stop

_LEFT = 1 << 30
"""Bytes that are left to others."""


class Disk:
    """The disk of a folder; see :class:`gitscalpel.system.processes.Stop`.

    Args:
        folder: where programs write.
        stop: what else ends them.

    Attributes:
        room: bytes that they may take, all together.
        low: it has got too full.
    """

    def __init__(self, folder: Path, stop: Stop | None) -> None:
        self._folder, self._stop, self.low = folder, stop, False
        free = _free(folder)
        self._floor = min(_LEFT, free // 2)
        self.room = free - self._floor

    def is_set(self) -> bool:
        """Whether programs are to be ended now."""
        self.low = self.low or _free(self._folder) < self._floor
        return self.low or (self._stop is not None and self._stop.is_set())


def _free(folder: Path) -> int:
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize
