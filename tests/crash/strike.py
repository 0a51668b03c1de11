"""Runs a command that is struck at its n-th change to the file system, in itself or in any of its children.

``preload.c`` counts the calls; the counter lies in a file that all processes of the command share.
"""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tests.preload import building

KINDS = ("count", "group", "parent", "enospc", "eio", "full")
"""How: not at all; all of it is killed, or its first process alone; one call fails; then the disk is full."""
KILLS, FAILURES = KINDS[1:3], KINDS[3:]
_STATE = struct.Struct("=IIIiI")
_SUBREAPER = 36
_LONGEST = 60


class Struck(NamedTuple):
    """How a command ended: status, what it printed, its calls, and the one where it was struck (0: none)."""

    status: int
    out: bytes
    err: bytes
    calls: int
    at: int


def built(folder: Path) -> Path:
    """The library to preload, compiled into ``folder``."""
    return building.built(Path(__file__).with_name("preload.c"), folder)


def adopt_orphans() -> None:
    """Make this process the parent of what a killed command leaves running, so that it can wait for it."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def wait_for_orphans() -> None:
    """Wait until nothing of a killed command is running any more."""
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def run(
    library: Path,
    words: Sequence[str],
    folder: Path,
    env: Mapping[str, str],
    kind: str = "count",
    at: int = 1,
) -> Struck:
    """Run ``words`` as the leader of a group of its own and strike it before its call number ``at``."""
    state, said, complained = (library.with_name(f"{name}.{os.getpid()}") for name in ("state", "out", "err"))
    state.write_bytes(_STATE.pack(0, at, KINDS.index(kind), 0, 0))
    # Into files: what outlives the command would keep a pipe open, and nobody is to wait for it here.
    with said.open("wb") as out, complained.open("wb") as err:
        child = subprocess.Popen(
            list(words),
            cwd=folder,
            env={**env, "LD_PRELOAD": str(library), "CRASH_STATE": str(state)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        status = child.wait(_LONGEST)
    count, _, _, _, struck = _STATE.unpack(state.read_bytes())
    return Struck(status, said.read_bytes(), complained.read_bytes(), count, struck)
