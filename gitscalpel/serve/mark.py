"""What is there while a server is being started: who has made it starts one, and nobody else does.

Nothing is loaded here that the interpreter has not loaded anyway.
"""

from __future__ import annotations

import os

from gitscalpel.serve import address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ENDING = ".starting"
"""How its name ends, which begins as that of the socket."""
_STARTING = 10.0
"""Seconds in which one that was started listens, or never will."""


def of(environment: Mapping[str, str]) -> str:
    """The path of the one for callers with this environment."""
    return address.socket(address.kind(environment), environment) + ENDING


def claim(mark: str) -> bool:
    """Make it, if nobody has; one that is too old is nobody's.

    Raises:
        OSError: there is no such place, or it is not this user's alone.
    """
    folder = os.path.dirname(mark)  # noqa: PTH120 - pathlib is not loaded
    try:
        os.mkdir(folder, 0o700)  # noqa: PTH102 - likewise
    except FileExistsError:
        if not address.is_private(folder):
            raise
    if (age(mark) or 0.0) > _STARTING:
        clear(mark)
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        return False
    return True


def age(mark: str) -> float | None:
    """For how many seconds one has been starting; None: none is."""
    import time

    try:
        return time.time() - os.stat(mark).st_mtime  # noqa: PTH116 - likewise
    except OSError:
        return None


def clear(mark: str) -> None:
    """It listens, or will not be started."""
    try:  # noqa: SIM105 - contextlib is not loaded
        os.unlink(mark)  # noqa: PTH108 - likewise
    except OSError:
        pass
