"""Verdicts that are known, each in a file named by what it holds for, so that nothing is run twice.

Only what a command said counts as known: one that was stopped, or that could not tell, is asked again.
"""

from __future__ import annotations

import time
from pathlib import Path

import msgspec

from gitscalpel.gates.commands.ran import Ran
from gitscalpel.git import scratch
from gitscalpel.system import private_files, seal, serialization

FOLDER = "verdicts"
VARIABLE = "SCALPEL_FRESH"
"""A variable of whoever asks: set to 1, nothing counts as known."""


def recall(scalpel_dir: Path, key: str, longest: float) -> Ran | None:
    """What a command said under these conditions, if that is no older than ``longest`` seconds."""
    file = scalpel_dir / FOLDER / key
    try:
        if time.time() - file.stat().st_mtime > longest:
            return None
        # A verdict that came along with a repository says nothing.
        said = seal.kept(file, scalpel_dir, _about(key))
        return None if said is None else serialization.decode(said, Ran)
    except (OSError, msgspec.MsgspecError):
        return None


def remember(scalpel_dir: Path, key: str, ran: Ran) -> None:
    """Note what a command said."""
    if ran.how not in ("passed", "failed"):
        return
    folder = private_files.folder(scalpel_dir / FOLDER)
    with scratch.made(scalpel_dir) as notes:  # what a kill leaves there is cleared away
        seal.keep(folder / key, scalpel_dir, _about(key), msgspec.json.encode(ran), notes.path / key)


def _about(key: str) -> str:
    return f"verdict {key}"
