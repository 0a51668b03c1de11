"""Detect by trial which parts of a sandbox this machine supports."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import msgspec

from gitscalpel.errors import BadCall
from gitscalpel.gates.sandbox import bubblewrap, readable_paths, resource_limits
from gitscalpel.gates.sandbox.bubblewrap import ordered
from gitscalpel.git.scratch import Scratch
from gitscalpel.system import processes, repo_lock

HINT = (
    "install bubblewrap (`apt install bubblewrap`, `dnf install bubblewrap`), and let users make name spaces"
)
_BWRAP = "bwrap"
BUBBLEWRAP = "bubblewrap"
"""Where programs ran, in the record."""
_KNOWN: dict[tuple[str, int], Machine] = {}


class Machine(msgspec.Struct, frozen=True):
    """What was found.

    Attributes:
        bwrap: bubblewrap, where it works.
        unshare: the program by which folders are laid over each other, where that works.
        why: why there is no sandbox; "" where there is one.
    """

    bwrap: str = ""
    unshare: str = ""
    why: str = ""


def look(notes: Scratch) -> Machine:
    """What there is for programs whose files lie below the folder of ``notes``, which is tried out."""
    bwrap = shutil.which(_BWRAP) or ""
    key = bwrap, notes.path.stat().st_dev
    if key not in _KNOWN:
        _KNOWN[key] = _tried(bwrap, notes)
    return _KNOWN[key]


def bubblewrap_stamp(wanted: str) -> str:
    """What tells one bubblewrap from another, or from none, where there is to be a sandbox."""
    found = shutil.which(_BWRAP) if wanted != "off" else None
    if found is None:
        return ""
    status = Path(found).stat()
    return f"{found}:{status.st_ino}:{status.st_size}:{status.st_mtime_ns}"


def tried_in(folder: Path) -> Machine:
    """What there is for programs whose files lie in a folder, in which nothing is left."""
    with (
        tempfile.TemporaryDirectory(dir=folder, prefix="sandbox-") as name,
        repo_lock.hold(Path(name)) as held,
    ):
        return look(Scratch(Path(name), held))


def is_counted() -> bool:
    """Whether memory and processes are counted for all that a program starts."""
    with resource_limits.group(resource_limits.Limits(1 << 30, 64, 1)) as groups:
        return len(groups) == 2


def _tried(bwrap: str, notes: Scratch) -> Machine:
    if not sys.platform.startswith("linux"):
        return Machine(why="there is one on Linux only")
    if not bwrap:
        return Machine(why="bubblewrap is not installed")
    folder = notes.path / "trial"
    lay(folder, notes.path)
    mounts = ordered(readable_paths.system())
    started = bubblewrap.words(
        bwrap, mounts, network=False, memory=1 << 20, folder=Path("/"), program=["/bin/true"]
    )
    unshare = shutil.which("unshare")
    if unshare and not _run(bubblewrap.laid_over(unshare, folder, started), notes)[0]:
        return Machine(bwrap, unshare)
    status, said = _run(started, notes)
    if status:
        return Machine(why=f"bubblewrap cannot make one: {said.strip() or processes.ended(status)}")
    return Machine(bwrap)


def lay(folder: Path, below: Path) -> None:
    """Make the folders in which layers lie over each other."""
    for name in ("above", "work", "merged"):
        (folder / name).mkdir(parents=True)
    (folder / "below").symlink_to(below)


def _run(words: list[str], notes: Scratch) -> tuple[int, str]:
    try:
        return processes.captured(words, Path("/"), {"LC_ALL": "C", "PATH": os.defpath}, notes.lock)
    except BadCall as error:
        return 127, error.message
