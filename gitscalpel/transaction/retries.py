"""Retry after temporary errors: another process, a moved branch, a merge, unsaved changes."""

from __future__ import annotations

import time
from typing import Literal, NamedTuple

from gitscalpel.errors import ScalpelError

PASSES = ("busy", "target_moved", "branch_in_use", "operation_in_progress", "dirty_overlap")
"""Temporary errors, after which an action is retried for as long as the caller wants to wait."""


class Rule(NamedTuple):
    """Number of retries of an action beyond the time that its caller wants to wait."""

    tries: int = 1  # total number of immediate tries after the branch or the transaction has moved
    busy_s: float = 0.0  # seconds to wait for a git process of the user to release the index and the refs


RULES = {
    # The holder of the branch lock competes with git by hand alone, but on a busy machine that may be faster
    # several times in a row.
    "land": Rule(tries=10, busy_s=10.0),
    "drop": Rule(tries=10),  # adding to a transaction does not need the lock
    "stage": Rule(tries=5),
    "push": Rule(tries=5),
    "edit": Rule(),
}
_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 1.0


class Retries:
    """Retries of an action of :data:`RULES`, for a caller who waits for ``wait`` seconds."""

    def __init__(self, act: Literal["land", "drop", "stage", "push", "edit"], wait: float = 0.0) -> None:
        self._rule = RULES[act]
        self._tries, self._pause = self._rule.tries, _FIRST_PAUSE
        self._deadline, self._busy_until = time.monotonic() + wait, 0.0
        self._is_moving = False

    def begin_move(self) -> None:
        """Wait for a busy git from now on until the next error, since only git can hold the index or refs."""
        self._is_moving = True
        self._busy_until = self._busy_until or time.monotonic() + self._rule.busy_s

    def pause(self, error: ScalpelError) -> bool:
        """Return True after a pause if the action should be tried again, else False."""
        is_git_busy, self._is_moving = error.code == "busy" and self._is_moving, False
        if error.code == "target_moved" and self._tries > 1:
            self._tries -= 1
            return True
        until = max(self._deadline, self._busy_until) if is_git_busy else self._deadline
        seconds_left = until - time.monotonic()
        if error.code not in PASSES or seconds_left <= 0:
            return False
        import random

        # Processes that wait for the same lock should not retry at the same moment.
        time.sleep(min(seconds_left, self._pause * random.uniform(0.7, 1.3)))  # noqa: S311
        self._pause = min(self._pause * 2, _LONGEST_PAUSE)
        self._tries = self._rule.tries
        return True
