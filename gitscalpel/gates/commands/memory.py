"""Verdicts that are known, each in a file named by what it holds for, so that nothing is run twice.

Only what a command said counts as known: one that was stopped, or that could not tell, is asked again.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec

from gitscalpel import sharing
from gitscalpel.gates.commands.ran import Ran
from gitscalpel.git import scratch

FOLDER = "verdicts"
VARIABLE = "SCALPEL_FRESH"
"""Set to 1, nothing counts as known."""


def recall(scalpel_dir: Path, key: str, longest: float) -> Ran | None:
    """What a command said under these conditions, if that is no older than ``longest`` seconds."""
    if os.environ.get(VARIABLE) == "1":
        return None
    file = scalpel_dir / FOLDER / key
    try:
        if time.time() - file.stat().st_mtime > longest:
            return None
        return msgspec.json.decode(file.read_bytes(), type=Ran)
    except (OSError, msgspec.MsgspecError):
        return None


def remember(scalpel_dir: Path, key: str, ran: Ran) -> None:
    """Note what a command said."""
    if ran.how not in ("passed", "failed"):
        return
    folder = scalpel_dir / FOLDER
    sharing.make_folder(folder)
    with scratch.made(scalpel_dir) as notes:  # what a kill leaves there is cleared away
        temporary = notes.path / key
        temporary.write_bytes(msgspec.json.encode(ran))
        sharing.adjust(temporary)
        temporary.rename(folder / key)
