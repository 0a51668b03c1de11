"""Remembers, between two events of one tool of an agent, what the files are to be after it.

It lies in a sealed file of ours, and goes with the second event; where that never comes, after a day.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec

from gitscalpel.errors import Damaged
from gitscalpel.system import private_files, seal, serialization
from gitscalpel.workspace import Workspace

_FOLDER = "agents"
_ABOUT = "foreseen"
_LARGEST = 4 << 20
"""Bytes of all files of one call; what is larger is not held against anything."""
_LASTS = 24 * 3600


def foresee(ws: Workspace, call: str, files: Mapping[str, bytes]) -> None:
    """Note what a call is to leave, by path."""
    if sum(map(len, files.values())) > _LARGEST:
        return
    folder = private_files.folder(ws.repo.scalpel_dir / _FOLDER)
    for old in private_files.entries(folder):
        with suppress(OSError):
            if time.time() - old.stat().st_mtime > _LASTS:
                private_files.remove(old)
    content = msgspec.json.encode({serialization.spelt(path): content for path, content in files.items()})
    seal.keep(_file(folder, call), folder, _ABOUT, content)


def foreseen(ws: Workspace, call: str) -> dict[str, bytes]:
    """What was noted of a call, which is forgotten then; nothing, if nobody has."""
    folder = ws.repo.scalpel_dir / _FOLDER
    file = _file(folder, call)
    said = seal.kept(file, folder, _ABOUT)
    if said is None:
        return {}
    with suppress(OSError, Damaged):
        private_files.remove(file)
    noted = serialization.decode(said, dict[str, bytes])
    return {serialization.read(path): content for path, content in noted.items()}


def _file(folder: Path, call: str) -> Path:
    return folder / blake2b(call.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
