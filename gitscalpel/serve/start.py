"""Starts a server behind a call that found none."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from gitscalpel import command
from gitscalpel.serve import address, habit

_STARTING = 10.0
"""Seconds in which one that was started listens, or never will."""


def in_background(environment: Mapping[str, str]) -> None:
    """Have one for the next call, unless another call has just started one."""
    with suppress(OSError):  # where nobody can listen, nobody is missed
        if habit.allows(environment) and _is_first(Path(address.mark(environment))):
            command.detached([*address.itself(), "serve"])


def done(place: Path) -> None:
    """It listens at ``place``."""
    place.with_suffix(address.STARTING).unlink(missing_ok=True)


def _is_first(mark: Path) -> bool:
    with suppress(FileExistsError):
        mark.parent.mkdir(mode=0o700)
    if not address.is_private(str(mark.parent)):
        return False
    with suppress(FileNotFoundError):
        if time.time() - mark.stat().st_mtime > _STARTING:
            mark.unlink()
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
