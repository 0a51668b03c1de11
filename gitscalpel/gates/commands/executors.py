"""Where commands run: a :class:`concurrent.futures.Executor`, here or on other machines."""

from __future__ import annotations

import os
from concurrent.futures import Executor, ThreadPoolExecutor


def here() -> Executor:
    """One that runs each job on this machine.

    Each command is a process of its own anyway; a second one around it that waits would have to
    load all of this again, which takes longer than leasing a worktree.
    """
    return ThreadPoolExecutor(os.cpu_count() or 1)
