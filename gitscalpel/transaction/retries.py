"""Retry after temporary refusals: another process, a merge in progress, unsaved changes."""

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


def again(act: Callable[[], T], attempts: int, codes: tuple[str, ...] = ("target_moved",)) -> T:
    """Do ``act``, and so many times at once while it is refused with one of ``codes``: it looks anew itself.

    Raises:
        ScalpelError: the last refusal.
    """
    for left in reversed(range(attempts)):
        try:
            return act()
        except WorldMoved as error:
            if error.code not in codes or not left:
                raise
    raise AssertionError("the last attempt either returns or raises")


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
