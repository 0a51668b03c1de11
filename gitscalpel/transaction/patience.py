"""Tries again what something that passes stands against: another process, a merge under way, unsaved work."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from gitscalpel.errors import TryAgain, WorldMoved

PASSES = ("busy", "target_moved", "branch_in_use", "operation_in_progress", "dirty_overlap")
"""Refusals that may not be given a moment later."""
_PAUSE = 0.05
_LONGEST_PAUSE = 1.0
T = TypeVar("T")


def trying(act: Callable[[], T], seconds: float, codes: tuple[str, ...] = PASSES) -> T:
    """Do ``act``, again and again for so long while it is refused with one of ``codes``.

    Raises:
        ScalpelError: the last refusal.
    """
    deadline = time.monotonic() + seconds
    pause = _PAUSE
    while True:
        try:
            return act()
        except (TryAgain, WorldMoved) as error:
            left = deadline - time.monotonic()
            if error.code not in codes or left <= 0:
                raise
        import random

        # Not all who wait for the same shall come back at the same moment.
        time.sleep(min(left, pause * random.uniform(0.7, 1.3)))  # noqa: S311
        pause = min(pause * 2, _LONGEST_PAUSE)
