"""Many calls at once that find no server: one of them has it started, and the others wait for it.

A call by itself takes several times what one takes that is served, and it takes that of the processors that
all of them wait for. Nothing is loaded here that the interpreter has not loaded anyway.
"""

from __future__ import annotations

import os

from gitscalpel.serve import address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_SOON = 3.0
"""Seconds in which a server that was started listens even here; after them, each call is done by itself."""
_LOOK = 0.02
"""Seconds from one look at whether it listens to the next."""
_MANY = 2
"""For each processor, so many run or wait to run before one more had better wait."""


def has_waited(environment: Mapping[str, str]) -> bool:
    """Whether there is a crowd, and a server that listens since; who is first does his call meanwhile."""
    if not _is_here():
        return False
    mark = address.mark(environment)
    age = _age(mark) if address.is_private(address.folder(environment)) else None
    if age is None:
        from gitscalpel.serve import start

        start.in_background(environment)
        return False
    import time

    while age is not None and age < _SOON:
        time.sleep(_LOOK)
        age = _age(mark)
    return age is None


def _is_here() -> bool:
    """See proc(5)."""
    try:
        with open("/proc/loadavg", encoding="ascii") as load:  # noqa: PTH123 - pathlib is not loaded
            running, _, _ = load.read().split()[3].partition("/")
    except (OSError, ValueError, IndexError):
        return False
    return int(running) > _MANY * (os.cpu_count() or 1)


def _age(mark: str) -> float | None:
    """For how many seconds one has been starting; None: none is."""
    import time

    try:
        return time.time() - os.stat(mark).st_mtime  # noqa: PTH116 - as above
    except OSError:
        return None
