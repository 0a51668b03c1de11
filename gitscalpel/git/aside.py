"""Sets aside what lies among our files and was not written by us: it is kept, and out of the way."""

from __future__ import annotations

import os
from pathlib import Path

from gitscalpel.system import private_files
from gitscalpel.system.failpoint import step

UNTRUSTED = "untrusted-"
"""How the names of the folders begin that it is kept in."""
SAVED = "saved-"
"""The same, for what somebody had saved in the checkout when somebody else saved over it."""


def set_aside(scalpel_dir: Path, path: Path) -> Path:
    """Move a file or folder of ours to the quarantine; where it is now."""
    folder = private_files.folder(
        private_files.folder(scalpel_dir / "quarantine") / f"{UNTRUSTED}{os.urandom(4).hex()}"
    )
    step()
    path.rename(folder / path.name)
    return folder / path.name
