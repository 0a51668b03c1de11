"""Ends the server of an environment, and one that is being started behind it."""

from __future__ import annotations

import fcntl
import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from gitscalpel.serve import address, client, mark

_PATIENCE = 10.0
_STARTS = 3.0
"""Seconds in which one that was started holds its lock; see :mod:`gitscalpel.serve.server`."""
_ENDS = 1.0
"""Seconds in which one ends that has no calls to finish."""
_PAUSE = 0.02


def all_of_them(environment: Mapping[str, str]) -> list[int]:
    """End whoever listens, until nobody does or is going to; the processes, the last of them last.

    Those that have no calls to finish are gone by then.
    """
    told: list[int] = []
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        pid = client.listens(environment)
        if pid is None and not _is_coming(environment):
            break
        if pid is not None and pid not in told:
            told.append(pid)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        time.sleep(_PAUSE)
    end = min(end, time.monotonic() + _ENDS)
    while any(map(is_there, told)) and time.monotonic() < end:
        time.sleep(_PAUSE)
    return told


def is_there(pid: int) -> bool:
    """Whether a process runs, for who reads of servers only what Linux tells; a dead one is its parent's."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _is_coming(environment: Mapping[str, str]) -> bool:
    """Whether one has been started that does not listen yet, or has been told to end and does not know."""
    if (age := mark.age(mark.of(environment))) is not None and age < _STARTS:
        return True
    place = address.socket(address.kind(environment), environment)
    try:
        with Path(f"{place}.lock").open("r") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # nobody has ever served here
        return False
    return False
