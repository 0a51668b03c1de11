"""What must be the same for one caller to do what another wants: place, rights, variables, this program."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from gitscalpel.workspace import Workspace

_SHARED = ("GIT_", "LC_", "XDG_", "SCALPEL_")
_SHARED_TOO = ("EMAIL", "HOME", "LANG", "LOGNAME", "PATH", "TZ", "USER")
_OWN = ("SCALPEL_AGENT", "SCALPEL_SERVER")
"""Variables that may differ: what is recorded of the agent is his own."""


def surroundings(ws: Workspace) -> str:
    """All of that, as a digest."""
    shared = {
        name: value
        for name, value in ws.session.environment.items()
        if (name.startswith(_SHARED) or name in _SHARED_TOO) and name not in _OWN
    }
    said = [
        repr((ws.session.within, ws.session.confirmed)),
        *(str(each) for each in (ws.here.work_tree, ws.repo.work_tree, ws.repo.git_dir)),
        *(f"{name}={value}" for name, value in sorted(shared.items())),
        *(str(os.geteuid()), _mask(), __file__, str(Path(__file__).stat().st_mtime_ns)),
    ]
    return blake2b("\0".join(said).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _mask() -> str:
    """Which rights new files lack. To ask is to set it, so the kernel is asked where it says so."""
    with suppress(OSError):
        lines = Path("/proc/self/status").read_text("utf-8").splitlines()
        return next((line for line in lines if line.startswith("Umask:")), "")
    if threading.active_count() > 1:  # another thread could make a file in that moment
        return str(os.getpid())
    mask = os.umask(0o077)
    os.umask(mask)
    return f"{mask:o}"
