"""What a sandbox is made of: places, and what is found there."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec


class Mount(msgspec.Struct, frozen=True):
    """One place.

    Attributes:
        path: where.
        kind: ``look``: another place, for reading; ``own``: another place, as it is; ``empty``: a folder
            in memory, for writing; ``hidden``: nothing, and no writing; ``link``: a symbolic link.
        source: the other place; for a link, where it leads.
    """

    path: Path
    kind: Literal["look", "own", "empty", "hidden", "link"]
    source: Path | None = None


def look(path: Path) -> Mount:
    """A place as it is, for reading."""
    return Mount(path, "look", path)


def ordered(mounts: Iterable[Mount]) -> list[Mount]:
    """What lies in another place after that; of two in one place the later."""
    last = {mount.path: mount for mount in mounts}
    return sorted(last.values(), key=lambda mount: mount.path.parts)
