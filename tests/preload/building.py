"""Compiles the libraries that tests preload into commands, to see or to steer what these do."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

_FLAGS = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC")


def why_not() -> str | None:
    """Why nothing can be preloaded here, or None."""
    if not sys.platform.startswith("linux"):
        return "the preload is written for Linux"
    return None if shutil.which("cc") else "there is no C compiler (cc)"


def built(source: Path, folder: Path) -> Path:
    """The library that ``source`` becomes, compiled into ``folder``."""
    library = folder / f"{source.stem}.so"
    subprocess.run(["cc", *_FLAGS, "-o", str(library), str(source), "-ldl"], check=True)
    return library
