"""Many calls at once that find no server: one of them has it started, and the others wait for it.

A call by itself takes several times what one takes that is served, and it takes that of the processors that
all of them wait for. Nothing is loaded here that the interpreter has not loaded anyway.
"""

from __future__ import annotations

import os

from gitscalpel.serve import mark

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
    own = mark.of(environment)
    try:
        is_first = mark.claim(own)
    except OSError:  # where nobody can listen, nobody is missed
        return False
    if is_first:
        from gitscalpel.serve import start

        start.claimed(environment)
        return False
    import time

    while (age := mark.age(own)) is not None and age < _SOON:
        time.sleep(_LOOK)
    return age is None


def _is_here() -> bool:
    """See proc(5)."""
    try:
        with open("/proc/loadavg", encoding="ascii") as load:  # noqa: PTH123 - pathlib is not loaded
            running, _, _ = load.read().split()[3].partition("/")
    except (OSError, ValueError, IndexError):
        return False
    return int(running) > _MANY * (os.cpu_count() or 1)
