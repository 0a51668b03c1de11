"""Kill the process before the n-th changing step, so that crash safety can be tested at each one.

``GITSCALPEL_FAILPOINT=n`` in the environment arms it. Unarmed, a step costs one comparison.
"""

from __future__ import annotations

import os

_left = int(os.environ.get("GITSCALPEL_FAILPOINT", "0") or "0")


def arm(n: int) -> None:
    """Kill the process before the n-th step from now; 0 disarms."""
    global _left  # noqa: PLW0603  it counts steps of the process
    _left = n


def step() -> None:
    """Mark a change of refs, index, files or journal; kill the process before the n-th."""
    global _left  # noqa: PLW0603
    if _left:
        _left -= 1
        if not _left:
            os.kill(os.getpid(), 9)
